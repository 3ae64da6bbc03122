package deploy_test

import (
	"bytes"
	"flag"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"helm.sh/helm/v3/pkg/chart/loader"
	"helm.sh/helm/v3/pkg/chartutil"
	"helm.sh/helm/v3/pkg/engine"
	"helm.sh/helm/v3/pkg/lint"
	"helm.sh/helm/v3/pkg/lint/support"
	appsv1 "k8s.io/api/apps/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation"
	"sigs.k8s.io/yaml"

	"mkt/cluster/servers"
	"mkt/internal/testing/check"
)

var update = flag.Bool("update", false, "rewrite deploy/kubernetes from the chart")

const (
	chartDir  = "../../deploy/chart"
	manifests = "../../deploy/kubernetes/mkt.yaml"
	dataRoot  = "/var/lib/mkt/data"
)

// kinds are the types into which every rendered object must decode without an unknown field.
var kinds = map[string]func() metav1.Object{
	"v1 Namespace":                           func() metav1.Object { return new(corev1.Namespace) },
	"v1 ConfigMap":                           func() metav1.Object { return new(corev1.ConfigMap) },
	"v1 Service":                             func() metav1.Object { return new(corev1.Service) },
	"v1 ServiceAccount":                      func() metav1.Object { return new(corev1.ServiceAccount) },
	"v1 PersistentVolumeClaim":               func() metav1.Object { return new(corev1.PersistentVolumeClaim) },
	"apps/v1 Deployment":                     func() metav1.Object { return new(appsv1.Deployment) },
	"policy/v1 PodDisruptionBudget":          func() metav1.Object { return new(policyv1.PodDisruptionBudget) },
	"autoscaling/v2 HorizontalPodAutoscaler": func() metav1.Object { return new(autoscalingv2.HorizontalPodAutoscaler) },
	"networking.k8s.io/v1 NetworkPolicy":     func() metav1.Object { return new(networkingv1.NetworkPolicy) },
	"networking.k8s.io/v1 Ingress":           func() metav1.Object { return new(networkingv1.Ingress) },
}

// variants are values that differ in what they render.
var variants = map[string]string{
	"three machines": `
image: {repository: registry.example.com/mkt, tag: v1}
store: s3://example-mkt/production?region=eu-central-1
redis: redis://valkey:6379/0
workers: {environmentSecret: mkt-worker-environment}
replicas: {environmentSecret: mkt-replica-environment}
`,
	"one worker": `
image: {repository: registry.example.com/mkt}
store: s3://example-mkt?region=auto
accounts: {secret: ""}
workers: {replicas: 1, serviceAccountAnnotations: {eks.amazonaws.com/role-arn: "arn:aws:iam::123456789012:role/mkt"}}
replicas: {replicas: 2, autoscaling: {enabled: false}}
networkPolicy: {exceptAddresses: []}
`,
	"everything": `
image: {repository: registry.example.com/mkt, tag: v1, pullSecrets: [registry]}
store: s3://example/mkt
redis: environment
log: {secret: mkt-log}
settings:
  serve: {service_name: "Coast Football", support_email: support@coast.example, realtime: {websocket_only: false}}
workers: {replicas: 4, environmentSecret: mkt-workers, podAnnotations: {example.com/a: b}, nodeSelector: {disk: nvme}, tolerations: [{key: a, operator: Exists}]}
replicas: {environmentSecret: mkt-replicas, podAnnotations: {example.com/a: b}, nodeSelector: {disk: nvme}, tolerations: [{key: a, operator: Exists}]}
service: {type: LoadBalancer, annotations: {example.com/a: b}}
ingress: {enabled: true, className: nginx, host: mkt.example.com, tlsSecret: mkt-tls, annotations: {example.com/a: b}}
networkPolicy:
  clients: [{namespaceSelector: {matchLabels: {kubernetes.io/metadata.name: ingress}}}]
  monitoring: [{namespaceSelector: {matchLabels: {kubernetes.io/metadata.name: monitoring}}}]
  ports: [443, 9000]
`,
}

func parse(t *testing.T, text string) map[string]any {
	t.Helper()
	values := map[string]any{}
	check.Must(t, yaml.UnmarshalStrict([]byte(text), &values))
	return values
}

// render returns the files that the chart makes of values.
func render(t *testing.T, values map[string]any) (map[string]string, error) {
	t.Helper()
	chart, err := loader.LoadDir(chartDir)
	check.Must(t, err)
	all, err := chartutil.ToRenderValues(chart, values, chartutil.ReleaseOptions{Name: "mkt", Namespace: "mkt", IsInstall: true}, nil)
	if err != nil {
		return nil, err
	}
	return engine.Engine{Strict: true}.Render(chart, all)
}

// objects returns the documents of rendered files in their order.
func objects(files map[string]string) (documents []string) {
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if filepath.Ext(name) != ".yaml" {
			continue
		}
		for document := range strings.SplitSeq(files[name], "\n---\n") {
			if document = strings.TrimSpace(strings.TrimPrefix(document, "---\n")); document != "" {
				documents = append(documents, document)
			}
		}
	}
	return documents
}

// decode decodes an object into its type, without unknown or repeated fields.
func decode(document string) (metav1.Object, string, error) {
	var kind metav1.TypeMeta
	if err := yaml.Unmarshal([]byte(document), &kind); err != nil {
		return nil, "", err
	}
	name := kind.APIVersion + " " + kind.Kind
	made, ok := kinds[name]
	if !ok {
		return nil, "", fmt.Errorf("%s: a kind that the chart must not have", name)
	}
	object := made()
	if err := yaml.UnmarshalStrict([]byte(document), object); err != nil {
		return nil, "", fmt.Errorf("%s: %w", name, err)
	}
	if bad := validation.IsDNS1123Subdomain(object.GetName()); bad != nil {
		return nil, "", fmt.Errorf("%s %q: %v", name, object.GetName(), bad)
	}
	for key, value := range object.GetLabels() {
		if bad := append(validation.IsQualifiedName(key), validation.IsValidLabelValue(value)...); bad != nil {
			return nil, "", fmt.Errorf("%s %s: label %s: %v", name, object.GetName(), key, bad)
		}
	}
	return object, kind.Kind, nil
}

// find returns the only object of a type and a name.
func find[T metav1.Object](t *testing.T, all []metav1.Object, name string) (found T) {
	t.Helper()
	n := 0
	for _, object := range all {
		if of, ok := object.(T); ok && object.GetName() == name {
			found, n = of, n+1
		}
	}
	if n != 1 {
		t.Fatalf("%d objects %T %s", n, found, name)
	}
	return found
}

func TestChart(t *testing.T) {
	for name, text := range variants {
		t.Run(name, func(t *testing.T) {
			values := parse(t, text)
			linter := lint.All(chartDir, values, "mkt", true)
			for _, message := range linter.Messages {
				if message.Severity >= support.WarningSev {
					t.Error(message)
				}
			}
			files, err := render(t, values)
			check.Must(t, err)
			var all []metav1.Object
			for _, document := range objects(files) {
				object, _, err := decode(document)
				if err != nil {
					t.Fatalf("%v\n%s", err, document)
				}
				all = append(all, object)
			}
			checkPods(t, all, strings.Contains(text, "mkt-log"))
			checkSelectors(t, all)
			settings := find[*corev1.ConfigMap](t, all, "mkt").Data["mkt.yaml"]
			checkSettings(t, settings)
		})
	}
}

// All kinds of pods keep to the strictest of the pod security standards, write to their
// volumes only, and have time to stop. Only the workers have the keys, and only one pod has that
// of the transparency log, if it is logged.
func checkPods(t *testing.T, all []metav1.Object, logged bool) {
	t.Helper()
	type kind struct {
		command   string
		grace     int64
		keys, log bool
	}
	pods := map[string]kind{"mkt-worker": {"schedule", 60, true, false}, "mkt-replica": {"serve", 45, false, false}}
	if logged {
		pods["mkt-log"] = kind{"schedule", 60, true, true}
		one := find[*appsv1.Deployment](t, all, "mkt-log").Spec
		claim := find[*corev1.PersistentVolumeClaim](t, all, "mkt-log").Spec
		if *one.Replicas != 1 || one.Strategy.Type != appsv1.RecreateDeploymentStrategyType || !slices.Equal(claim.AccessModes, []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOncePod}) {
			t.Errorf("the log is kept by %d pods, %s, %v", *one.Replicas, one.Strategy.Type, claim.AccessModes)
		}
	}
	for name, want := range pods {
		pod := find[*appsv1.Deployment](t, all, name).Spec.Template.Spec
		find[*corev1.ServiceAccount](t, all, pod.ServiceAccountName)
		c := pod.Containers[0]
		security := c.SecurityContext
		if !*pod.SecurityContext.RunAsNonRoot || pod.SecurityContext.SeccompProfile.Type != corev1.SeccompProfileTypeRuntimeDefault ||
			!*security.ReadOnlyRootFilesystem || *security.AllowPrivilegeEscalation || *security.Privileged ||
			!slices.Equal(security.Capabilities.Drop, []corev1.Capability{"ALL"}) || *pod.AutomountServiceAccountToken {
			t.Errorf("%s has rights that it does not need: %+v %+v", name, pod.SecurityContext, security)
		}
		if c.Args[0] != want.command || *pod.TerminationGracePeriodSeconds <= want.grace {
			t.Errorf("%s: %v has %d s to stop, and needs more than %d", name, c.Args, *pod.TerminationGracePeriodSeconds, want.grace)
		}
		if c.Resources.Requests.Cpu().IsZero() || c.Resources.Limits.Memory().IsZero() {
			t.Errorf("%s: resources: %+v", name, c.Resources)
		}
		ports := map[string]bool{}
		for _, port := range c.Ports {
			ports[port.Name] = true
		}
		for probe, path := range map[*corev1.Probe]string{c.LivenessProbe: "/livez", c.ReadinessProbe: "/readyz", c.StartupProbe: "/livez"} {
			if probe.HTTPGet.Path != path || !ports[probe.HTTPGet.Port.StrVal] {
				t.Errorf("%s: probe %+v", name, probe.HTTPGet)
			}
		}
		volumes := map[string]corev1.Volume{}
		for _, v := range pod.Volumes {
			volumes[v.Name] = v
		}
		for _, mount := range c.VolumeMounts {
			v := volumes[mount.Name]
			if delete(volumes, mount.Name); v.EmptyDir == nil && v.PersistentVolumeClaim == nil && !mount.ReadOnly || v.EmptyDir != nil && v.EmptyDir.SizeLimit == nil {
				t.Errorf("%s: volume %+v at %+v", name, v, mount)
			}
			// Every user may write into the folder of an emptyDir, which doctor reports of a data root.
			if v.EmptyDir != nil && mount.MountPath == dataRoot {
				t.Errorf("%s: a volume is the data root itself", name)
			}
			if v.Projected == nil {
				continue
			}
			if *v.Projected.DefaultMode != 0o440 {
				t.Errorf("%s: the settings have mode %o", name, *v.Projected.DefaultMode)
			}
			keys, log := false, false
			for _, source := range v.Projected.Sources {
				if source.ConfigMap != nil {
					find[*corev1.ConfigMap](t, all, source.ConfigMap.Name)
				}
				keys = keys || source.Secret != nil && strings.Contains(source.Secret.Name, "keys")
				log = log || source.Secret != nil && source.Secret.Name == "mkt-log"
			}
			if keys != want.keys || log != want.log {
				t.Errorf("%s has the keys: %t, and that of the log: %t", name, keys, log)
			}
		}
		if len(volumes) > 0 {
			t.Errorf("%s: volumes without a mount: %v", name, volumes)
		}
	}
}

// What selects pods selects those of one Deployment, and what names an object names one that
// is there.
func checkSelectors(t *testing.T, all []metav1.Object) {
	t.Helper()
	labels := map[string]map[string]string{}
	for _, name := range []string{"mkt-worker", "mkt-replica"} {
		d := find[*appsv1.Deployment](t, all, name)
		labels[name] = d.Spec.Template.Labels
		if !selects(d.Spec.Selector.MatchLabels, d.Spec.Template.Labels) {
			t.Errorf("%s does not select its own pods", name)
		}
	}
	only := func(what string, selector map[string]string, name string) {
		t.Helper()
		for of, pod := range labels {
			if selects(selector, pod) != (of == name) {
				t.Errorf("%s selects pods of %s: %v", what, of, selector)
			}
		}
	}
	only("the service", find[*corev1.Service](t, all, "mkt").Spec.Selector, "mkt-replica")
	for name := range labels {
		only("the budget", find[*policyv1.PodDisruptionBudget](t, all, name).Spec.Selector.MatchLabels, name)
		for _, spread := range find[*appsv1.Deployment](t, all, name).Spec.Template.Spec.TopologySpreadConstraints {
			only("the spread", spread.LabelSelector.MatchLabels, name)
		}
		policy := find[*networkingv1.NetworkPolicy](t, all, name)
		only("the network policy", policy.Spec.PodSelector.MatchLabels, name)
		if len(policy.Spec.PolicyTypes) != 2 || len(policy.Spec.Egress) != 2 {
			t.Fatalf("the network policy of %s: %+v", name, policy.Spec)
		}
		// Redis may be a pod of the cluster, the store and the providers are elsewhere.
		to := policy.Spec.Egress[1].To
		if !slices.ContainsFunc(to, func(p networkingv1.NetworkPolicyPeer) bool { return p.NamespaceSelector != nil }) ||
			!slices.ContainsFunc(to, func(p networkingv1.NetworkPolicyPeer) bool { return p.IPBlock != nil }) {
			t.Errorf("the network policy of %s lets it reach %+v", name, to)
		}
	}
	for _, object := range all {
		scaler, ok := object.(*autoscalingv2.HorizontalPodAutoscaler)
		if !ok {
			continue
		}
		if of := find[*appsv1.Deployment](t, all, scaler.Spec.ScaleTargetRef.Name); of.Spec.Replicas != nil {
			t.Errorf("%s is scaled automatically and has a number of its own", of.Name)
		}
	}
}

func selects(selector, labels map[string]string) bool {
	for key, value := range selector {
		if labels[key] != value {
			return false
		}
	}
	return len(selector) > 0
}

// checkSettings shows the settings to mkt itself, which refuses a key that it does not know.
func checkSettings(t *testing.T, text string) {
	t.Helper()
	mkt, err := servers.MKT()
	check.Must(t, err)
	dir := t.TempDir()
	text = strings.ReplaceAll(text, "/etc/mkt/", dir+"/")
	text = strings.ReplaceAll(text, dataRoot, dir+"/data")
	files := map[string]string{"mkt.yaml": text, "tenants.yaml": "version: 1\ntenants: []\n"}
	files["data/accounts/tenants.yaml"] = files["tenants.yaml"] // of accounts in the store
	check.Must(t, os.MkdirAll(filepath.Join(dir, "data", "accounts"), 0o700))
	for name, text := range files {
		check.Must(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	list := exec.Command(mkt, "tenant", "list", "--config", filepath.Join(dir, "mkt.yaml"))
	list.Env = append(os.Environ(), "MKT_TENANTS_IN_STORE=false") // the store is not asked
	out, err := list.CombinedOutput()
	if err != nil {
		t.Errorf("mkt refuses its settings: %v: %s\n%s", err, out, text)
	}
}

// Values that would not work are refused, with a reason.
func TestChartRefuses(t *testing.T) {
	const good = "image: {repository: registry.example.com/mkt}\nstore: s3://example\n"
	for text, reason := range map[string]string{
		good:                                  "redis is empty", // two workers
		good + "redis: redis://:secret@redis": "redis",
		good + "redis: redis://redis\nworker: {replicas: 3}":                      "worker",
		good + "redis: redis://redis\nworkers: {replica: 3}":                      "replica",
		good + "redis: redis://redis\nreplicas: {drainDelay: 1m}":                 "drainDelay",
		good + "redis: redis://redis\ningress: {enabled: true}":                   "ingress.host is empty",
		"image: {repository: registry.example.com/mkt}\nredis: redis://redis":     "store",
		"store: s3://example\nredis: redis://redis":                               "repository",
		"image: {repository: a}\nstore: file:///mnt/shared\nredis: redis://redis": "store",
	} {
		if _, err := render(t, parse(t, text)); err == nil || !strings.Contains(err.Error(), reason) {
			t.Errorf("%s\n  want a refusal that names %q: %v", text, reason, err)
		}
	}
}

// deploy/kubernetes is what the chart renders, for those who do not use Helm.
func TestManifests(t *testing.T) {
	files, err := render(t, parse(t, variants["three machines"]))
	check.Must(t, err)
	var out bytes.Buffer
	out.WriteString(`# mkt on Kubernetes without Helm: what deploy/chart renders for two workers and three replicas.
# "go test ./deploy -update" in the folder cluster writes it. Replace before use: the image, and in
# the ConfigMap the store and the Redis. Then, in the folder of "mkt init":
#
#   kubectl apply --filename mkt.yaml --selector app.kubernetes.io/component=namespace
#   kubectl --namespace mkt create secret generic mkt-keys --from-file seal.key --from-file id.key
#   kubectl --namespace mkt create secret generic mkt-accounts --from-file tenants.yaml
#   kubectl --namespace mkt create secret generic mkt-worker-environment --from-env-file worker.env
#   kubectl --namespace mkt create secret generic mkt-replica-environment --from-env-file replica.env
#   kubectl --namespace mkt apply --filename mkt.yaml
#
# The two .env files have the credentials for the store, such as AWS_ACCESS_KEY_ID=… and
# AWS_SECRET_ACCESS_KEY=…; remove both envFrom where the machines have them.
#
# docs/cluster.md describes the settings.
apiVersion: v1
kind: Namespace
metadata:
  name: mkt
  labels:
    app.kubernetes.io/name: mkt
    app.kubernetes.io/component: namespace
    pod-security.kubernetes.io/enforce: restricted
`)
	ofHelm := regexp.MustCompile(`(?m)^ *(app\.kubernetes\.io/managed-by|helm\.sh/chart):.*\n`)
	for _, document := range objects(files) {
		out.WriteString("---\n" + ofHelm.ReplaceAllString(document+"\n", ""))
	}
	if *update {
		check.Must(t, os.MkdirAll(filepath.Dir(manifests), 0o755))
		check.Must(t, os.WriteFile(manifests, out.Bytes(), 0o644))
	}
	got, err := os.ReadFile(manifests)
	if err != nil || !bytes.Equal(got, out.Bytes()) {
		t.Errorf("deploy/kubernetes/mkt.yaml is not what the chart renders; run \"go test ./deploy -update\" in the folder cluster: %v", err)
	}
	for document := range strings.SplitSeq(string(got), "\n---\n") {
		if _, _, err := decode(document); err != nil {
			t.Error(err)
		}
	}
}
