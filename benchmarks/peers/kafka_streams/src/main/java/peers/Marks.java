package peers;

import java.util.Locale;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.kafka.streams.kstream.KStream;

/** Counts the input records of all topics, and prints the marks of a run. */
final class Marks {
    private final long records;
    private final AtomicLong seen = new AtomicLong();
    private final CountDownLatch read = new CountDownLatch(1);

    Marks(long records) {
        this.records = records;
    }

    <V> KStream<String, V> counted(KStream<String, V> source) {
        return source.peek((key, value) -> {
            long number = seen.incrementAndGet();
            if (number == 1) {
                print("first");
            }
            if (number == records / 4) {
                print("quarter");
            }
            if (number == records) {
                read.countDown();
            }
        });
    }

    void awaitAllRead() throws InterruptedException {
        read.await();
    }

    static void print(String name) {
        System.out.printf(Locale.ROOT, "MARK %s %.3f%n", name, System.currentTimeMillis() / 1000.0);
        System.out.flush();
    }
}
