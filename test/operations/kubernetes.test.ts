import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { settingsInFiles } from '#server/settings/environment.ts';
import { readSettings } from '#server/settings.ts';
import { useTestApp } from '#test/setup/app.ts';
import { root, testFolder } from '#test/setup/launch.ts';
import { tasks } from '#workers/tasks.ts';
import { readMonitoring } from './promtool.ts';

const folder = join(root, 'examples/deploy/kubernetes');
const settings = readSettings({ SECRETS_KEY: Buffer.alloc(32).toString('base64') });

/** A part of a manifest. The schema check is the first test. */
// biome-ignore lint/suspicious/noExplicitAny: the type of each manifest is different
type Manifest = any;

const read = (name: string): Manifest[] =>
  parseAllDocuments(readFileSync(join(folder, name), 'utf8')).map((document) => {
    expect(document.errors).toEqual([]);
    return document.toJS();
  });
const files = readdirSync(folder).filter((name) => name !== 'kustomization.yaml');
const manifests = files.flatMap(read);
const ofKind = (kind: string) => manifests.filter((manifest) => manifest.kind === kind);
const workloads: Manifest[] = [...ofKind('Deployment'), ...ofKind('Job')];
const [config] = ofKind('ConfigMap');

/** The module of the package `kubernetes-types` that has the types of an API version. */
const moduleOf = (apiVersion: string) =>
  apiVersion === 'v1' ? 'core/v1' : apiVersion.replace('networking.k8s.io', 'networking');

/** Checks manifests against the schema of Kubernetes: unknown fields, missing fields, and values of another type. */
async function problemsOf(checked: readonly Manifest[]): Promise<string> {
  const home = await testFolder();
  await symlink(join(root, 'node_modules'), join(home, 'node_modules'));
  const lines = checked.map(
    (manifest, index) =>
      `export const m${index}: import('kubernetes-types/${moduleOf(manifest.apiVersion)}').${manifest.kind} = ${JSON.stringify(manifest)};`,
  );
  const path = join(home, 'manifests.ts');
  await writeFile(path, lines.join('\n'));
  const options = ['--strict', '--noEmit', '--skipLibCheck', '--module', 'nodenext', '--types', ''];
  const run = spawnSync(join(root, 'node_modules/.bin/tsc'), [...options, path], {
    encoding: 'utf8',
    cwd: home,
  });
  return run.stdout;
}

/** The rules of the Pod Security Standard `restricted` that a pod violates. */
function violationsOf(pod: Manifest): string[] {
  const allowedVolumes = [
    'configMap',
    'csi',
    'downwardAPI',
    'emptyDir',
    'ephemeral',
    'persistentVolumeClaim',
  ];
  const { securityContext: common = {}, containers, initContainers = [], volumes = [] } = pod;
  const rules: [string, boolean][] = [
    ['host', !(pod.hostNetwork || pod.hostPID || pod.hostIPC)],
    ...volumes.map(({ name, ...kind }: Manifest) => [
      `volume ${name}`,
      [...allowedVolumes, 'projected', 'secret'].includes(Object.keys(kind)[0]!),
    ]),
    ...[...containers, ...initContainers].flatMap(({ securityContext: own = {}, ports = [] }: Manifest) => {
      const context = { ...common, ...own };
      const { add = [], drop = [] } = own.capabilities ?? {};
      return [
        ['runAsNonRoot', context.runAsNonRoot === true],
        ['runAsUser', context.runAsUser !== 0],
        ['seccompProfile', ['RuntimeDefault', 'Localhost'].includes(context.seccompProfile?.type)],
        ['privileged', !own.privileged],
        ['allowPrivilegeEscalation', own.allowPrivilegeEscalation === false],
        ['capabilities', drop.includes('ALL') && add.every((name: string) => name === 'NET_BIND_SERVICE')],
        ['hostPort', ports.every(({ hostPort }: Manifest) => !hostPort)],
        ['procMount', (own.procMount ?? 'Default') === 'Default'],
      ];
    }),
  ];
  return rules.filter(([, holds]) => !holds).map(([rule]) => rule);
}

describe('the manifests in examples/deploy/kubernetes', () => {
  test('have the schema of Kubernetes', async () => {
    expect(manifests).toHaveLength(17);
    expect(await problemsOf(manifests)).toBe('');
    // The check finds mistakes.
    const [deployment] = ofKind('Deployment');
    const misspelt = { ...deployment, spec: { ...deployment.spec, replica: 2 } };
    expect(await problemsOf([misspelt])).toMatch(/replica.{1,3} does not exist/);
    const [scaler] = ofKind('HorizontalPodAutoscaler');
    const wrong = { ...scaler, spec: { ...scaler.spec, maxReplicas: 'two' } };
    expect(await problemsOf([wrong])).toContain("Type 'string' is not assignable to type 'number'");
  });

  test('are all in the kustomization', () => {
    const [{ resources }] = read('kustomization.yaml');
    expect([...resources].sort()).toEqual([...files].sort());
  });

  test.skipIf(spawnSync('kubectl').error)(
    'are built by `kubectl kustomize`, with the image of a registry',
    () => {
      const { stdout, stderr } = spawnSync('kubectl', ['kustomize', folder], { encoding: 'utf8' });
      expect(stderr).toBe('');
      const built: Manifest[] = parseAllDocuments(stdout).map((document) => document.toJS());
      const names = (list: Manifest[]) => list.map(({ kind, metadata }) => `${kind} ${metadata.name}`).sort();
      expect(names(built)).toEqual(names(manifests));
      for (const { kind, spec, metadata } of built) {
        if (kind !== 'Namespace') expect(metadata.namespace).toBe('lingualoop');
        const [container] = spec?.template?.spec.containers ?? [];
        if (container) expect(container.image).toMatch(/^registry\.example\.com\/lingualoop:\d+\.\d+\.\d+$/);
      }
    },
  );

  test('scale each deployment: the API by CPU, the workers by the age of the queue', async () => {
    const scalers = ofKind('HorizontalPodAutoscaler');
    expect(scalers.map(({ spec }) => spec.scaleTargetRef)).toEqual(
      ofKind('Deployment').map(({ apiVersion, kind, metadata }) => ({
        apiVersion,
        kind,
        name: metadata.name,
      })),
    );
    // A number of replicas would undo the scaling with each `kubectl apply`.
    for (const { spec } of ofKind('Deployment')) expect(spec).not.toHaveProperty('replicas');
    for (const { metadata, spec } of scalers) {
      const budget = ofKind('PodDisruptionBudget').find((each) => each.metadata.name === metadata.name);
      expect(budget.spec.minAvailable, 'pods can be moved').toBeLessThan(spec.minReplicas);
      expect(spec.maxReplicas).toBeGreaterThan(spec.minReplicas);
    }
    const [api, worker] = scalers.map(({ spec }) => spec.metrics[0]);
    expect(api.resource.target.averageUtilization).toBeLessThan(100);
    const adapter: Manifest = parse(readMonitoring('prometheus-adapter.yaml'));
    const [rule] = adapter.rules.external;
    expect(rule.name.as).toBe(worker.external.metric.name);
    // The rule names a metric and tasks of the service.
    const exposed = readFileSync(join(root, 'server/observability/state-gauges.ts'), 'utf8');
    expect(exposed).toContain(`'${rule.seriesQuery.replace('lingualoop_', '')}'`);
    const scaled: string[] = /task=~"([^"]+)"/.exec(rule.metricsQuery)![1]!.split('|');
    expect(scaled.filter((task) => !(task in tasks))).toEqual([]);
    expect(scaled).toEqual(expect.arrayContaining(['run_document', 'run_texts']));
  });

  test('select the pods that they mean', () => {
    const labelsOf = (name: string) =>
      workloads.find(({ metadata }) => metadata.name === name)?.spec.template.metadata.labels;
    const selectors = [
      ...ofKind('Deployment').map(({ metadata, spec }) => [metadata.name, spec.selector.matchLabels]),
      ...ofKind('PodDisruptionBudget').map(({ metadata, spec }) => [
        metadata.name,
        spec.selector.matchLabels,
      ]),
      ...ofKind('Service').map(({ metadata, spec }) => [metadata.name, spec.selector]),
    ];
    expect(selectors).toHaveLength(5);
    for (const [name, labels] of selectors) expect(labels, name).toEqual(labelsOf(name));
    const [ingress] = ofKind('Ingress');
    const { backend } = ingress.spec.rules[0].http.paths[0];
    const [service] = ofKind('Service');
    expect(backend.service).toEqual({
      name: service.metadata.name,
      port: { name: service.spec.ports[0].name },
    });
  });

  test('set only settings of the service, and mount each file that a setting names', () => {
    const names = Object.keys(config.data);
    const guide = readFileSync(join(root, 'docs/settings.md'), 'utf8');
    const unknown = names.filter((name) => {
      const setting = name.replace(/_FILE$/, '');
      const isFile = setting !== name;
      return isFile
        ? !(settingsInFiles as readonly string[]).includes(setting)
        : !guide.includes(`\`${name}\``);
    });
    expect(unknown).toEqual([]);
    for (const { spec } of workloads) {
      const { containers, volumes } = spec.template.spec;
      const [container] = containers;
      expect(container.envFrom[0]).toEqual({ configMapRef: { name: config.metadata.name } });
      // A secret is a file, except the credentials that only the client of the bucket reads.
      for (const { secretRef } of container.envFrom.slice(1))
        expect(secretRef).toEqual({ name: 'lingualoop-s3', optional: true });
      const secrets = container.volumeMounts.find(({ name }: Manifest) => name === 'secrets');
      for (const name of names.filter((name) => name.endsWith('_FILE')))
        expect(config.data[name].startsWith(`${secrets.mountPath}/`)).toBe(true);
      expect(container.volumeMounts.map(({ name }: Manifest) => name)).toEqual(
        volumes.map(({ name }: Manifest) => name),
      );
    }
  });

  test('run programs that exist, as the Pod Security Standard `restricted` demands', () => {
    const [{ metadata }] = ofKind('Namespace');
    expect(metadata.labels['pod-security.kubernetes.io/enforce']).toBe('restricted');
    for (const { kind, spec } of workloads) {
      const pod = spec.template.spec;
      const [{ command, securityContext: own, resources, livenessProbe, readinessProbe }] = pod.containers;
      const program = command.find((word: string) => word.endsWith('.ts'));
      expect(existsSync(join(root, program)), program).toBe(true);
      expect(violationsOf(pod)).toEqual([]);
      // The job that migrates reads no files of callers.
      expect(pod.securityContext.seccompProfile.type).toBe(kind === 'Job' ? 'RuntimeDefault' : 'Localhost');
      expect(own.readOnlyRootFilesystem).toBe(true);
      expect(resources.limits.memory).toMatch(/Gi$/);
      const folders = pod.volumes.filter(({ emptyDir }: Manifest) => emptyDir);
      expect(folders.every(({ emptyDir }: Manifest) => emptyDir.sizeLimit)).toBe(true);
      for (const side of ['requests', 'limits']) expect(resources[side]).toHaveProperty('ephemeral-storage');
      // A process that lost its database is not restarted, only left out.
      if (kind === 'Deployment') expect(livenessProbe.httpGet).not.toEqual(readinessProbe.httpGet);
      expect(pod.topologySpreadConstraints?.map(({ topologyKey }: Manifest) => topologyKey)).toEqual(
        kind === 'Deployment' ? ['kubernetes.io/hostname', 'topology.kubernetes.io/zone'] : undefined,
      );
    }
    // The rules find what they forbid.
    const { spec } = workloads[0].spec.template;
    const [container] = spec.containers;
    expect(
      violationsOf({
        ...{ ...spec, hostNetwork: true, securityContext: { runAsUser: 0 } },
        volumes: [{ name: 'host', hostPath: { path: '/' } }],
        containers: [
          { ...container, securityContext: { privileged: true, capabilities: { add: ['NET_ADMIN'] } } },
        ],
      }),
    ).toEqual([
      ...['host', 'volume host', 'runAsNonRoot', 'runAsUser', 'seccompProfile'],
      ...['privileged', 'allowPrivilegeEscalation', 'capabilities'],
    ]);
  });

  test('deny every connection that no policy allows, and allow only what each kind of pod needs', () => {
    const policies = ofKind('NetworkPolicy');
    const [denial] = policies.filter(({ spec }) => Object.keys(spec.podSelector).length === 0);
    expect(denial.spec).toEqual({ podSelector: {}, policyTypes: ['Ingress', 'Egress'] });
    const selects = ({ podSelector }: Manifest, labels: Manifest): boolean =>
      Object.entries(podSelector.matchLabels ?? {}).every(([key, value]) => labels[key] === value) &&
      (podSelector.matchExpressions ?? []).every(({ key, values }: Manifest) => values.includes(labels[key]));
    /** For a kind of pod, each allowed port with the peers. */
    const allowed = (direction: 'ingress' | 'egress', name: string) => {
      const { labels } = workloads.find(({ metadata }) => metadata.name === name)!.spec.template.metadata;
      return policies
        .filter(({ spec }) => selects(spec, labels))
        .flatMap(({ spec }) => spec[direction] ?? [])
        .flatMap(({ from, to, ports }: Manifest) => {
          // Without peers or ports, a rule would allow all of them.
          expect([(from ?? to).length > 0, ports.length > 0]).toEqual([true, true]);
          const peers = (from ?? to).map(
            ({ namespaceSelector, ipBlock }: Manifest) =>
              ipBlock?.cidr ?? namespaceSelector.matchLabels['kubernetes.io/metadata.name'],
          );
          return ports.map(({ port }: Manifest) => `${port} ${peers.join(' ')}`);
        })
        .sort();
    };
    const metrics = 'metrics monitoring';
    expect(allowed('ingress', 'api')).toEqual(['http ingress-nginx', metrics]);
    expect(allowed('ingress', 'worker')).toEqual([metrics]);
    expect(allowed('ingress', 'migrate')).toEqual([]);
    const database = ['53 kube-system', '53 kube-system', '5432 10.0.0.10/32'];
    const services = [443, 465, 587].map((port) => `${port} 0.0.0.0/0 ::/0`);
    expect(allowed('egress', 'migrate')).toEqual(database);
    for (const name of ['api', 'worker'])
      expect(allowed('egress', name)).toEqual([...services, ...database].sort());
    // The port of the ingress rule is one that the API has.
    const names = workloads.flatMap(({ spec }) => spec.template.spec.containers[0].ports ?? []);
    expect(names.map(({ name }: Manifest) => name)).toEqual(expect.arrayContaining(['http', 'metrics']));
  });

  test('give a stopping process more time than it can need, and a request more than its deadline', () => {
    // `docs/running.md`: until the balancer has noticed, then for requests and for jobs of disconnected clients.
    const drain = Number(config.data.DRAIN_DELAY_SECONDS) + 150 + 120;
    expect(Number(config.data.DRAIN_DELAY_SECONDS)).toBeGreaterThanOrEqual(5);
    for (const { spec } of ofKind('Deployment')) {
      expect(spec.template.spec.terminationGracePeriodSeconds).toBeGreaterThan(drain);
      expect(spec.strategy.rollingUpdate.maxUnavailable).toBe(0);
    }
    const { annotations } = ofKind('Ingress')[0].metadata;
    for (const side of ['read', 'send'])
      expect(Number(annotations[`nginx.ingress.kubernetes.io/proxy-${side}-timeout`])).toBeGreaterThan(
        settings.REQUEST_DEADLINE_SECONDS + 30,
      );
  });
});

describe('the probes of the manifests', () => {
  const app = useTestApp();

  test('use ports of their container, and paths with a response of 200', async () => {
    for (const { spec } of ofKind('Deployment')) {
      const [container] = spec.template.spec.containers;
      const ports = new Map(
        container.ports.map(({ name, containerPort }: Manifest) => [name, containerPort]),
      );
      expect(ports.get('metrics')).toBe(readSettings({ METRICS: config.data.METRICS }).METRICS?.port);
      if (ports.has('http')) expect(ports.get('http')).toBe(settings.PORT);
      for (const name of ['startupProbe', 'livenessProbe', 'readinessProbe']) {
        const { path, port } = container[name].httpGet;
        expect(ports.has(port), name).toBe(true);
        expect((await app.request(path)).status, path).toBe(200);
      }
    }
  });
});
