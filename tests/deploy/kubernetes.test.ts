import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Schema } from '@cfworker/json-schema';
import { describe, expect, it } from 'vitest';
import { hasYaml } from '#tests/support/debian.ts';
import { documentedSettings } from '#tests/support/documented-settings.ts';
import { KUBERNETES } from '#tests/support/schemas/kubernetes.ts';
import { violations } from '#tests/support/schemas/schemas.ts';
import { readYamlDocuments } from '#tests/support/yaml.ts';
import { ROOT } from '../../scripts/set-up.mjs';

const FOLDER = join(ROOT, 'deploy', 'kubernetes');

// biome-ignore lint/suspicious/noExplicitAny: the schemas check the fields of the objects
type Fields = any;

// Without Python's YAML parser, which CI has, nothing can be checked.
describe.runIf(hasYaml())('the manifests for Kubernetes', () => {
  const read = (file: string) => readYamlDocuments<Fields>(join(FOLDER, file));
  const [kustomization] = hasYaml() ? read('kustomization.yaml') : [];
  const objects: Fields[] = (kustomization?.resources ?? []).flatMap(read);
  const named = (kind: string, name: string) =>
    objects.find((object) => object.kind === kind && object.metadata.name === name);
  const pod = named('Deployment', 'server')?.spec.template;
  const [container] = pod?.spec.containers ?? [];

  it('have only known fields with values in the right form', () => {
    const faults = [kustomization, ...objects].flatMap((object: Fields) => {
      const schema: Schema | undefined = KUBERNETES[`${object.apiVersion} ${object.kind}`];
      return schema === undefined ? [`no schema of ${object.kind}`] : violations(schema, object);
    });
    expect(faults).toEqual([]);
    const typo = { ...named('Deployment', 'server'), spec: { replica: 2 } };
    expect(violations(KUBERNETES['apps/v1 Deployment'] as Schema, typo)).not.toEqual([]);
  });

  it('refer to objects and ports that exist', () => {
    const { labels } = pod.metadata;
    const selectors = [
      named('Deployment', 'server').spec.selector.matchLabels,
      named('Service', 'server').spec.selector,
      named('PodDisruptionBudget', 'server').spec.selector.matchLabels,
      named('NetworkPolicy', 'servers').spec.podSelector.matchLabels,
      named('NetworkPolicy', 'database').spec.ingress[0].from[0].podSelector.matchLabels,
      pod.spec.topologySpreadConstraints[0].labelSelector.matchLabels,
    ];
    for (const selector of selectors) expect(selector).toEqual(labels);
    const [port] = container.ports;
    expect(named('Service', 'server').spec.ports[0].targetPort).toBe(port.name);
    expect(named('NetworkPolicy', 'servers').spec.ingress[0].ports[0].port).toBe(port.containerPort);
    const [{ backend }] = named('Ingress', 'barometer').spec.rules[0].http.paths;
    expect(backend.service).toEqual({ name: 'server', port: { name: port.name } });
    const database = named('Cluster', 'database');
    expect(named('ScheduledBackup', 'daily').spec.cluster.name).toBe(database.metadata.name);
    expect(database.spec.plugins[0].parameters.barmanObjectName).toBe(
      objects.find(({ kind }) => kind === 'ObjectStore').metadata.name,
    );
    // The names that CloudNativePG gives to the service of the primary and to its secrets.
    const secrets = [container.env[0].valueFrom.secretKeyRef.name, pod.spec.volumes[0].secret.secretName];
    expect(secrets).toEqual([`${database.metadata.name}-app`, `${database.metadata.name}-ca`]);
    const { owner, database: content } = database.spec.bootstrap.initdb;
    expect(container.env[1].value).toMatch(
      new RegExp(
        `^postgres://${owner}:\\$\\(DATABASE_PASSWORD\\)@${database.metadata.name}-rw:5432/${content}\\?`,
      ),
    );
    const mounted = container.volumeMounts.map(({ name }: Fields) => name);
    expect(mounted).toEqual(pod.spec.volumes.map(({ name }: Fields) => name));
  });

  it('have known settings, the image of the recipe and its user', () => {
    const [{ literals }] = kustomization.configMapGenerator;
    const settings = new Map<string, string>(literals.map((literal: string) => literal.split('=', 2)));
    const known = documentedSettings();
    expect([...settings.keys(), container.env[1].name].filter((name) => !known.includes(name))).toEqual([]);
    expect(container.envFrom[0].configMapRef.name).toBe(kustomization.configMapGenerator[0].name);
    expect(container.image).toBe(kustomization.images[0].name);
    const dockerfile = readFileSync(join(ROOT, 'deploy', 'compose', 'Dockerfile'), 'utf8');
    expect(dockerfile).toContain(`EXPOSE ${container.ports[0].containerPort}\n`);
    expect(dockerfile).toContain('USER node\n');
    const { host } = named('Ingress', 'barometer').spec.rules[0];
    expect(settings.get('PUBLIC_URL')).toBe(`https://${host}`);
    const drained = Number(settings.get('DRAIN_SECONDS'));
    expect(pod.spec.terminationGracePeriodSeconds).toBeGreaterThanOrEqual(drained + 75);
  });

  it('replace servers one after the other, each when the next one is ready', () => {
    const { strategy, replicas } = named('Deployment', 'server').spec;
    expect(strategy.rollingUpdate).toEqual({ maxUnavailable: 0, maxSurge: 1 });
    expect(named('PodDisruptionBudget', 'server').spec.minAvailable).toBeLessThan(replicas);
    const paths = ['startupProbe', 'livenessProbe', 'readinessProbe'].map(
      (probe) => container[probe].httpGet.path,
    );
    expect(paths).toEqual(['/healthz', '/healthz', '/readyz?only=server']);
  });

  it('run without privileges, as the namespace demands', () => {
    expect(named('Namespace', 'barometer').metadata.labels).toEqual({
      'pod-security.kubernetes.io/enforce': 'restricted',
    });
    expect(pod.spec.securityContext).toMatchObject({
      runAsNonRoot: true,
      seccompProfile: { type: 'RuntimeDefault' },
    });
    expect(container.securityContext).toEqual({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    });
    expect(pod.spec.automountServiceAccountToken).toBe(false);
  });

  it('leave the cache headers of the servers alone', () => {
    const { annotations } = named('Ingress', 'barometer').metadata;
    expect(Object.keys(annotations)).toEqual(['cert-manager.io/cluster-issuer']);
  });
});
