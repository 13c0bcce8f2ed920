{{- define "eddyline.labels" -}}
app.kubernetes.io/name: {{ .name }}
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/part-of: eddyline
{{- end }}

{{- /* A table of settings, whose names have dots, as TOML. */ -}}
{{- define "eddyline.settings" -}}
{{- range $name, $value := . }}
{{ $name | quote }} = {{ toJson $value }}
{{- end }}
{{- end }}
