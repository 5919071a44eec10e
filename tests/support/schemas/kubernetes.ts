import type { Schema } from '@cfworker/json-schema';

// The fields that the manifests in deploy/kubernetes use, by the API reference of each object. The published schemas allow
// unknown fields, which a cluster ignores or refuses; these do not.

const text: Schema = { type: 'string', minLength: 1 };
const yes: Schema = { type: 'boolean' };
const whole: Schema = { type: 'integer', minimum: 0 };
const quantity: Schema = { type: 'string', pattern: '^[0-9.]+([kMGTPE]i?|m)?$' };
const name: Schema = { type: 'string', pattern: '^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$' };
const texts: Schema = { type: 'object', additionalProperties: text };
const oneOf = (...values: string[]): Schema => ({ enum: values });
const list = (items: Schema): Schema => ({ type: 'array', minItems: 1, items });

/** An object with these fields. A name that ends with "?" is optional. */
function fields(of: Record<string, Schema>): Schema {
  const known = Object.entries(of).map(([key, schema]): [string, Schema] => [key.replace('?', ''), schema]);
  const required = Object.keys(of).filter((key) => !key.endsWith('?'));
  return { type: 'object', properties: Object.fromEntries(known), required, additionalProperties: false };
}

const metadata = fields({ name, 'labels?': texts, 'annotations?': texts });
const labelled = fields({ matchLabels: texts });
const amounts = fields({ 'cpu?': quantity, 'memory?': quantity });
const resources = fields({ requests: amounts, limits: amounts });
const probe = fields({
  httpGet: fields({ path: { type: 'string', pattern: '^/' }, port: name }),
  periodSeconds: whole,
  'timeoutSeconds?': whole,
  failureThreshold: whole,
});
const secretKey = fields({ name, key: text });
const named = fields({ name });

const container = fields({
  name,
  image: name,
  ports: list(fields({ name, containerPort: whole })),
  envFrom: list(fields({ 'configMapRef?': named, 'secretRef?': fields({ name, optional: yes }) })),
  env: list(fields({ name: text, 'value?': text, 'valueFrom?': fields({ secretKeyRef: secretKey }) })),
  startupProbe: probe,
  livenessProbe: probe,
  readinessProbe: probe,
  resources,
  securityContext: fields({
    allowPrivilegeEscalation: yes,
    readOnlyRootFilesystem: yes,
    capabilities: fields({ drop: list(text) }),
  }),
  volumeMounts: list(fields({ name, mountPath: text, 'readOnly?': yes })),
});

const pod = fields({
  automountServiceAccountToken: yes,
  securityContext: fields({
    runAsNonRoot: yes,
    runAsUser: whole,
    fsGroup: whole,
    seccompProfile: fields({ type: oneOf('RuntimeDefault', 'Localhost', 'Unconfined') }),
  }),
  terminationGracePeriodSeconds: whole,
  topologySpreadConstraints: list(
    fields({
      maxSkew: whole,
      topologyKey: text,
      whenUnsatisfiable: oneOf('DoNotSchedule', 'ScheduleAnyway'),
      labelSelector: labelled,
    }),
  ),
  containers: list(container),
  volumes: list(
    fields({
      name,
      'secret?': fields({ secretName: name, items: list(fields({ key: text, path: text })) }),
      'emptyDir?': fields({ sizeLimit: quantity }),
    }),
  ),
});

const peer = fields({
  'namespaceSelector?': labelled,
  'podSelector?': labelled,
  'ipBlock?': fields({ cidr: text, 'except?': list(text) }),
});
const openPorts = list(fields({ protocol: oneOf('TCP', 'UDP', 'SCTP'), port: whole }));

const of = (kind: string, apiVersion: string, spec: Record<string, Schema>): [string, Schema] => [
  `${apiVersion} ${kind}`,
  fields({ apiVersion: { const: apiVersion }, kind: { const: kind }, ...spec }),
];

/** JSON schemas by apiVersion and kind. */
export const KUBERNETES: Readonly<Record<string, Schema>> = Object.fromEntries([
  of('Kustomization', 'kustomize.config.k8s.io/v1beta1', {
    namespace: name,
    resources: list({ type: 'string', pattern: '\\.yaml$' }),
    images: list(fields({ name, newName: text, newTag: text })),
    configMapGenerator: list(fields({ name, literals: list({ type: 'string', pattern: '^[A-Z_]+=.' }) })),
  }),
  of('Namespace', 'v1', { metadata }),
  of('Service', 'v1', {
    metadata,
    spec: fields({ selector: texts, ports: list(fields({ name, port: whole, targetPort: name })) }),
  }),
  of('Deployment', 'apps/v1', {
    metadata,
    spec: fields({
      replicas: whole,
      selector: labelled,
      strategy: fields({
        type: oneOf('RollingUpdate', 'Recreate'),
        rollingUpdate: fields({ maxUnavailable: whole, maxSurge: whole }),
      }),
      template: fields({ metadata: fields({ labels: texts }), spec: pod }),
    }),
  }),
  of('PodDisruptionBudget', 'policy/v1', {
    metadata,
    spec: fields({ minAvailable: whole, selector: labelled }),
  }),
  of('Ingress', 'networking.k8s.io/v1', {
    metadata,
    spec: fields({
      ingressClassName: name,
      tls: list(fields({ hosts: list(text), secretName: name })),
      rules: list(
        fields({
          host: text,
          http: fields({
            paths: list(
              fields({
                path: text,
                pathType: oneOf('Exact', 'Prefix', 'ImplementationSpecific'),
                backend: fields({ service: fields({ name, port: named }) }),
              }),
            ),
          }),
        }),
      ),
    }),
  }),
  of('NetworkPolicy', 'networking.k8s.io/v1', {
    metadata,
    spec: fields({
      podSelector: labelled,
      policyTypes: list(oneOf('Ingress', 'Egress')),
      'ingress?': list(fields({ from: list(peer), ports: openPorts })),
      'egress?': list(fields({ to: list(peer), ports: openPorts })),
    }),
  }),
  of('Cluster', 'postgresql.cnpg.io/v1', {
    metadata,
    spec: fields({
      instances: whole,
      imageName: text,
      bootstrap: fields({
        initdb: fields({ database: name, owner: name, postInitApplicationSQL: list(text) }),
      }),
      postgresql: fields({
        synchronous: fields({
          method: oneOf('any', 'first'),
          number: whole,
          dataDurability: oneOf('required', 'preferred'),
        }),
      }),
      storage: fields({ size: quantity }),
      resources,
      affinity: fields({ topologyKey: text }),
      plugins: list(fields({ name: text, isWALArchiver: yes, parameters: texts })),
    }),
  }),
  of('ObjectStore', 'barmancloud.cnpg.io/v1', {
    metadata,
    spec: fields({
      retentionPolicy: { type: 'string', pattern: '^[1-9][0-9]*[dwm]$' },
      configuration: fields({
        destinationPath: text,
        endpointURL: text,
        s3Credentials: fields({ accessKeyId: secretKey, secretAccessKey: secretKey }),
        wal: fields({ compression: oneOf('gzip', 'bzip2', 'snappy') }),
        data: fields({ compression: oneOf('gzip', 'bzip2', 'snappy') }),
      }),
    }),
  }),
  of('ScheduledBackup', 'postgresql.cnpg.io/v1', {
    metadata,
    spec: fields({
      schedule: { type: 'string', pattern: '^(\\S+ ){5}\\S+$' },
      immediate: yes,
      backupOwnerReference: oneOf('none', 'self', 'cluster'),
      cluster: named,
      method: oneOf('barmanObjectStore', 'volumeSnapshot', 'plugin'),
      pluginConfiguration: fields({ name: text }),
    }),
  }),
]);
