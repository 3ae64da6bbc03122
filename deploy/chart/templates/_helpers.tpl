{{/* The name of everything: the release, cut so that a suffix fits. */}}
{{- define "mkt.name" -}}
{{- .Release.Name | trunc 50 | trimSuffix "-" -}}
{{- end }}

{{- define "mkt.image" -}}
{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}
{{- end }}

{{/* Labels that never change: a selector must not. Call with (list . "worker"). */}}
{{- define "mkt.selector" -}}
app.kubernetes.io/name: mkt
app.kubernetes.io/instance: {{ (index . 0).Release.Name }}
app.kubernetes.io/component: {{ index . 1 }}
{{- end }}

{{- define "mkt.labels" -}}
{{ include "mkt.selector" . }}
app.kubernetes.io/version: {{ (index . 0).Values.image.tag | default (index . 0).Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ (index . 0).Release.Service }}
helm.sh/chart: {{ (index . 0).Chart.Name }}-{{ (index . 0).Chart.Version }}
{{- end }}

{{/* mkt.yaml of workers and replicas. */}}
{{- define "mkt.settings" -}}
{{- $v := .Values -}}
{{- $settings := dict
  "data" "/var/lib/mkt/data"
  "store" $v.store
  "seal_key" "/etc/mkt/keys/seal.key"
  "id_key" "/etc/mkt/keys/id.key"
  "log" (dict "format" "json")
  "serve" (dict
    "listen" "0.0.0.0:8080"
    "cache" "/tmp"
    "admin" "0.0.0.0:9081"
    "admin_remote" true
    "drain_delay" $v.replicas.drainDelay
    "realtime" (dict "websocket_only" true))
  "schedule" (dict
    "admin" "0.0.0.0:9082"
    "admin_remote" true)
-}}
{{- if $v.accounts.secret }}{{ $_ := set $settings "tenants" "/etc/mkt/tenants.yaml" }}{{ else }}{{ $_ := merge $settings (dict "tenants" "/var/lib/mkt/data/accounts/tenants.yaml" "tenants_in_store" true) }}{{ end -}}
{{- if $v.log.secret }}{{ $_ := merge $settings (dict "log_key" "/etc/mkt/log/log.key" "log_policy" "/etc/mkt/log/policy") }}{{ end -}}
{{- if and $v.redis (ne $v.redis "environment") }}{{ $_ := set $settings "redis" $v.redis }}{{ end -}}
{{- mustMergeOverwrite $settings (deepCopy $v.settings) | toYaml -}}
{{- end }}

{{- define "mkt.podSecurity" -}}
runAsNonRoot: true
runAsUser: 65532
runAsGroup: 65532
# The files of a Secret belong to root and to this group, and to nobody else.
fsGroup: 65532
fsGroupChangePolicy: OnRootMismatch
seccompProfile:
  type: RuntimeDefault
{{- end }}

{{- define "mkt.containerSecurity" -}}
readOnlyRootFilesystem: true
allowPrivilegeEscalation: false
privileged: false
capabilities:
  drop: [ALL]
{{- end }}

{{/* Spreads the pods of a component over machines and zones, as far as there are several. */}}
{{- define "mkt.spread" -}}
{{- range $key := list "kubernetes.io/hostname" "topology.kubernetes.io/zone" }}
- maxSkew: 1
  topologyKey: {{ $key }}
  whenUnsatisfiable: ScheduleAnyway
  labelSelector:
    matchLabels:
      {{- include "mkt.selector" $ | nindent 6 }}
{{- end }}
{{- end }}
