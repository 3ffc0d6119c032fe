import { readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';

/** An import specifier, and the file or package that it resolves to. */
export interface Import {
  /** Path of the importing file, from the root. */
  from: string;
  specifier: string;
  /** Path from the root, or `npm:name` or `node:name`. */
  to: string;
}

const aliases: Record<string, string> = {
  '#server/': 'server/',
  '#db/': 'db/',
  '#rest/': 'rest/',
  '#workers/': 'workers/',
  '#sdk/': 'sdk/src/',
  '#web/': 'web/',
  '#test/': 'test/',
};

/** Every static, dynamic and type import of a source file, resolved to paths. */
export function importsOf(
  root: string,
  file: string,
  source = readFileSync(join(root, file), 'utf8'),
): Import[] {
  const specifiers = [...source.matchAll(/(?:\bfrom|\bimport|\bimport\s*\()\s*'([^']+)'/g)].map(
    ([, specifier]) => specifier as string,
  );
  return specifiers.map((specifier) => ({ from: file, specifier, to: resolve(root, file, specifier) }));
}

function resolve(root: string, file: string, specifier: string): string {
  if (specifier.startsWith('.')) return relative(root, join(root, dirname(file), specifier));
  for (const [alias, folder] of Object.entries(aliases))
    if (specifier.startsWith(alias)) return folder + specifier.slice(alias.length);
  if (specifier.startsWith('node:')) return specifier;
  return `npm:${specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/')}`;
}

interface Module {
  name: string;
  /** Which files belong to it; the first module that matches takes a file. */
  files: RegExp;
  /** What its files may import besides each other, including packages and Node's modules. */
  may: RegExp[];
}

const domains =
  'access|audit|auth|billing|documents|members|metering|reviews|storage|system|tenants|terminology|translation-memory|translations';
const anyPackage = /^(npm|node):/;
/** The files directly in `server/` that every domain may import. */
const kernelFiles = [
  'array-limits',
  'background-work',
  'bounded-walk',
  'bulk',
  'client-address',
  'concurrency-limit',
  'context',
  'cookies',
  'encryption',
  'errors',
  'exports',
  'ids',
  'input-limits',
  'job-list-filter',
  'job-queue',
  'languages',
  'paging',
  'request-deadline',
  'request-fingerprint',
  'sandbox-errors',
  'set-upload',
  'settings',
  'supported-language',
  'telemetry',
  'tenant-lock',
  'text-search',
  'trpc',
  'unknown-fields',
  'warnings',
  'xliff-exchange',
];
const kernel = new RegExp(`^server/(${kernelFiles.join('|')})\\.ts$`);
/** The files of a domain's subfolders that other modules may import, too. */
const publishedBelow = [
  'access/guards/[\\w-]+',
  'auth/sso/provider',
  'translation-memory/imports/(import-jobs|run-import)',
  'translation-memory/lookup/(close-match|exact-match|examples)',
].join('|');
/**
 * The interface of a domain: the files directly in its folder, except its router and its queries. Only the workers import
 * `translations`, which uses the other domains.
 */
const published = new RegExp(
  `^server/((?!translations/)(${domains})/(?!(router|[\\w-]*queries)\\.ts$)[\\w-]+|${publishedBelow})\\.ts$`,
);
/** The interface of a format is a file directly in the folder; its implementation is in the folders below. */
const formats = /^server\/formats\/[\w-]+\.ts$/;
/** The tasks run in child processes, so only their input and result types may be imported. */
const sandbox =
  /^server\/sandbox\/(file-work|task-queue|isolation|left-by-level|release-bytes|sandbox-error|tasks\/[\w-]+)\.ts$/;
/** Pure: similarity of texts, and the terms in a text. */
const matching = /^server\/matching\/(\w+\/index|normal-form|vectors)\.ts$/;
/** Checks of the addresses that are dialled for others. */
const outbound = /^server\/outbound\//;
/** Metrics, traces, the log of requests, and whether a process is ready. */
const observability = /^server\/observability\//;
const port = /^server\/engines\/engine\.ts$/;
const libraries = /^npm:(?!fastify|graphile-worker|drizzle-orm|postgres$|openai|stripe$)/;

/** The tables that a domain's queries may use, if they are not only those of its own schema file. */
const tablesOf: Record<string, string> = {
  access: 'identity|tenants',
  metering: 'metering|tenants',
  billing: 'billing|tenants',
  auth: 'identity|tenants',
  members: 'identity',
  tenants: 'tenants',
};

const domainModules = domains.split('|').map(
  (name): Module => ({
    name: `server/${name}`,
    files: new RegExp(`^server/${name}/`),
    may: [
      kernel,
      published,
      formats,
      matching,
      port,
      sandbox,
      /^db\/client\.ts$/,
      new RegExp(`^db/schema/(${tablesOf[name] ?? name})\\.ts$`),
      libraries,
      /^npm:drizzle-orm$/,
      /^node:(crypto|module|timers\/promises)$/,
      // Single sign-on checks the addresses it dials; passwords are hashed on threads of their own.
      ...(name === 'auth' ? [outbound, /^node:(net|os|worker_threads)$/] : []),
      // A document's segments take the steps and checks of the text pipeline.
      ...(name === 'documents'
        ? [
            /^server\/translations\/(schema|agent-run-schema|inspect-text|intake\/(request-warnings|source-language)|leverage\/[\w-]+|pipeline\/[\w-]+)\.ts$/,
          ]
        : []),
      ...(name === 'terminology' ? [/^node:(os|worker_threads)$/] : []),
      ...(name === 'billing' ? [/^npm:stripe$/] : []),
      // A store is a folder, written by a thread, or a tenant's account whose addresses are checked as they are dialled.
      ...(name === 'storage' ? [outbound, /^node:(fs|os|path|stream|url|worker_threads)/] : []),
    ],
  }),
);

/** The import rules of docs/decisions/0005. A file without a module fails the check. */
export const modules: Module[] = [
  {
    name: 'server/formats',
    files: /^server\/formats\//,
    may: [
      /^npm:(parse5|entities|harfbuzzjs|bidi-js|@cto\.af\/linebreak|@cantoo\/pdf-lib|@neslinesli93\/qpdf-wasm|csv-parse|docx|fflate|pdfjs-dist|saxes)$/,
      // Glossaries and memories name languages.
      /^server\/languages\.ts$/,
      // Typesetting reads its fonts.
      /^node:(fs|module|vm|timers\/promises)$/,
      // Office files are zips, and the streams of a PDF are deflated.
      /^node:zlib$/,
      // Digests of what a PDF has besides text. Formats draw no random numbers.
      /^node:crypto$/,
    ],
  },
  {
    name: 'server/sandbox',
    files: /^server\/sandbox\//,
    may: [formats, matching, /^server\/languages\.ts$/, /^node:/],
  },
  {
    name: 'server/matching',
    files: /^server\/matching\//,
    may: [formats, /^server\/languages\.ts$/, /^node:crypto$/],
  },
  { name: 'server/outbound', files: outbound, may: [/^node:(dns|net)$/] },
  {
    name: 'server/engines',
    files: /^server\/engines\//,
    may: [
      /^server\/(errors|concurrency-limit|input-limits|languages|settings|telemetry)\.ts$/,
      formats,
      /^npm:(openai|zod)$/,
      /^node:timers/,
    ],
  },
  ...domainModules,
  {
    name: 'server/admin',
    files: /^server\/admin\//,
    may: [
      published,
      /^server\/(database-home|encryption|errors|log|settings|stop-signals)\.ts$/,
      /^db\/(client|migrate)\.ts$/,
      /^npm:zod$/,
      /^node:util$/,
    ],
  },
  {
    // It looks at everything that the service needs.
    name: 'server/doctor',
    files: /^server\/doctor\//,
    may: [
      published,
      sandbox,
      /^server\/(database-connections|database-home|encryption|engines\/select|ids|process-settings|settings|stop-signals|stored-secrets)\.ts$/,
      /^web\/server\/build\.ts$/,
      /^db\/(client|queue-url|schema-version)\.ts$/,
      /^npm:(pg|postgres)$/,
      /^node:(fs\/promises|path|url)$/,
    ],
  },
  {
    // It copies the database and the platform's storage as they are.
    name: 'server/backup',
    files: /^server\/backup\//,
    may: [
      published,
      /^server\/(database-home|encryption|errors|log|settings|stop-signals|stored-secrets)\.ts$/,
      /^db\/(client|migrate|copy\/(contents|load|outcome|snapshot)|embedded\/(index|upgrade|upgrade-copy))\.ts$/,
      /^npm:(modern-tar|zod)$/,
      /^node:/,
    ],
  },
  {
    // It compares what several domains store, so it reads their tables.
    name: 'server/verify-store',
    files: /^server\/verify-store\//,
    may: [
      published,
      /^server\/(database-home|encryption|errors|settings|stop-signals)\.ts$/,
      /^server\/translations\/golden\/text-records\.ts$/,
      /^db\/(client|schema\/(documents|storage|tenants|translations))\.ts$/,
      /^npm:drizzle-orm$/,
      /^node:(crypto|fs\/promises|path|util)$/,
    ],
  },
  {
    // It looks at what a process consists of.
    name: 'server/observability',
    files: observability,
    may: [
      /^server\/(context|errors|settings|telemetry)\.ts$/,
      published,
      port,
      sandbox,
      /^server\/engines\/select\.ts$/,
      /^db\/(client|schema-version)\.ts$/,
      /^npm:(@opentelemetry\/api|drizzle-orm|fastify|prom-client)$/,
      /^node:http$/,
    ],
  },
  {
    name: 'the top of server/',
    files: /^server\/[\w-]+\.ts$/,
    may: [
      published,
      formats,
      observability,
      port,
      /^server\/([\w-]+)\/router\.ts$/,
      /^server\/(backup\/restored-storage|engines\/select)\.ts$/,
      sandbox,
      /^rest\/[\w-]+\.ts$/,
      /^web\/server\/[\w-]+\.ts$/,
      /^workers\/run\.ts$/,
      /^db\/(client|migrate|embedded\/index)\.ts$/,
      anyPackage,
    ],
  },
  { name: 'db', files: /^db\//, may: [anyPackage] },
  {
    name: 'rest',
    files: /^rest\//,
    may: [
      /^server\/(array-limits|client-address|context|errors|ids|input-limits|languages|response-headers|router|settings|trpc|unknown-fields)\.ts$/,
      /^npm:(?!drizzle-orm|postgres$|graphile-worker|openai|stripe$)/,
      /^node:/,
    ],
  },
  {
    // The front for browsers: what the server does of it.
    name: 'web/server',
    files: /^web\/server\//,
    may: [
      /^rest\/(body-parsers|downloads|errors|openapi)\.ts$/,
      /^server\/(context|cookies|errors|input-limits|response-headers|router|settings|trpc)\.ts$/,
      // Whether there is a page for paying to lead to.
      /^server\/billing\/capabilities\.ts$/,
      // The files of documents, which no procedure carries.
      /^server\/(access\/guards\/tenant|documents\/download)\.ts$/,
      /^npm:(@fastify\/static|@trpc\/server|fastify|markdown-it)$/,
      /^node:/,
    ],
  },
  {
    // What runs in the browser: the SDK's code, and bundled packages.
    name: 'web/app',
    files: /^web\/(app|preview)\//,
    may: [
      /^sdk\/src\//,
      /^server\/(languages|metering\/weight)\.ts$/,
      /^web\/locales\//,
      /^web\/server\/(build|locale|shell)\.ts$/,
      /^npm:(@lingui\/core|@tanstack\/react-(query|router|virtual)|@trpc\/client|diff|docx-preview|idb-keyval|lucide-react|pdfjs-dist|react|react-dom|uplot)$/,
    ],
  },
  {
    name: 'the build of web/',
    files: /^web\/[\w-]+\.ts$/,
    may: [/^web\/server\/locale\.ts$/, /^npm:(@lingui\/message-utils|vite)$/, /^node:/],
  },
  {
    // A program of its own, a caller of the service like the examples.
    name: 'web/translate',
    files: /^web\/translate\//,
    may: [/^sdk\/src\//, /^web\/server\/locale\.ts$/, /^npm:@lingui\/message-utils$/, /^node:/],
  },
  {
    name: 'workers',
    files: /^workers\//,
    may: [
      /^server\/(context|database-connections|errors|job-queue|module-loading|process|settings|stop-signals|telemetry)\.ts$/,
      published,
      /^server\/translations\/(removal|stale-sweep|golden\/(check|pending-persistence))\.ts$/,
      /^db\/(client|queue-url)\.ts$/,
      /^npm:(graphile-worker|drizzle-orm|pg)$/,
      /^node:/,
    ],
  },
  {
    name: 'sdk',
    files: /^sdk\/src\//,
    // The languages are plain data, which the browser application bundles, too.
    may: [/^server\/(languages|router)\.ts$/, /^npm:@trpc\/server$/],
  },
];

/** The reason why this import is forbidden; undefined if it is allowed. */
export function refusal({ from, to }: Import): string | undefined {
  const module = modules.find(({ files }) => files.test(from));
  if (!module) return `${from} is in no module`;
  if (module.files.test(to) || module.may.some((allowed) => allowed.test(to))) return undefined;
  return `${from} (${module.name}) may not import ${to}`;
}
