import { readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';

/** An import, and the file or package to which it resolves. */
export interface Import {
  /** The path of the importing file, from the root of the repository. */
  from: string;
  specifier: string;
  /** The path from the root of the repository, or `npm:name`, or `node:name`. */
  to: string;
}

const aliases: Record<string, string> = {
  '#server/': 'server/',
  '#db/': 'db/',
  '#rest/': 'rest/',
  '#workers/': 'workers/',
  '#sdk/': 'sdk/src/',
  '#cli/': 'sdk/cli/src/',
  '#web/': 'web/',
  '#test/': 'test/',
};

/** All static, dynamic and type imports of a source file, with resolved paths. */
export function importsOf(
  root: string,
  file: string,
  source = readFileSync(join(root, file), 'utf8'),
): Import[] {
  const specifiers = [...source.matchAll(/(?<!')(?:\bfrom|\bimport|\bimport\s*\()\s*'([^'\n]+)'/g)].map(
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
  /** Matches the files of the module. A file belongs to the first module that matches. */
  files: RegExp;
  /** Packages and Node.js modules that files of the module may import. */
  packages: RegExp;
  /** The files of the module that other modules may import; by default all of them. */
  interface?: RegExp;
  /**
   * If set, the only files of other modules that files of the module may import; by default the interfaces of all
   * modules below.
   */
  only?: RegExp;
  /** The parts of `db/` that files of the module may import; by default `db/client.ts`. */
  db?: RegExp;
}

const libraries =
  /^npm:(?!fastify|graphile-worker|postgres$|openai|stripe$|@anthropic-ai\/|@aws-sdk\/|@azure|@google-cloud\/|deepl-node$|pino$)/;
const anyPackage = /^(npm|node):/;

/** Matches what one of several patterns matches. */
const any = (...patterns: RegExp[]) => new RegExp(patterns.map(({ source }) => source).join('|'));

/**
 * The module of a domain, which is a directory. Its router, queries and subdirectories are internal, except for the
 * files in `published`.
 */
function domain(
  folder: string,
  {
    tables = /$^/,
    packages = /$^/,
    published = /$^/,
  }: { tables?: RegExp; packages?: RegExp; published?: RegExp } = {},
): Module {
  return {
    name: `server/${folder}`,
    files: new RegExp(`^server/${folder}/`),
    packages: any(libraries, /^node:(crypto|module|timers\/promises)$/, packages),
    interface: new RegExp(`^server/${folder}/((?![\\w-]*queries\\.ts$)[\\w-]+\\.ts$|(${published.source}))`),
    db: any(/^db\/client\.ts$/, new RegExp(`^db/schema/(${tables.source})\\.ts$`)),
  };
}

/**
 * The modules from top to bottom (docs/decisions/0005). A file may import files of its own module and the interfaces of
 * modules below. A file that belongs to no module fails the check. A module may import only the parts of `db/` that it
 * lists.
 */
export const modules: Module[] = [
  // Separate programs.
  {
    name: 'web/translate',
    files: /^web\/translate\//,
    packages: any(/^npm:@lingui\/message-utils$/, /^node:/),
    only: /^(sdk\/src\/|web\/server\/locale\.ts$)/,
  },
  {
    name: 'the build of web/',
    files: /^web\/[\w-]+\.ts$/,
    packages: any(/^npm:(@lingui\/message-utils|vite)$/, /^node:/),
    only: /^web\/server\/locale\.ts$/,
  },
  {
    // Code in the browser. It may import the code of the SDK, and packages that are bundled.
    name: 'web/app',
    files: /^web\/(app|preview)\//,
    packages:
      /^npm:(@internationalized\/date|@lingui\/core|@tanstack\/react-(query|router|virtual)|@trpc\/client|diff|docx-preview|fflate|idb-keyval|lucide-react|nspell|pdfjs-dist|react-aria-components|react|react-dom|uplot)$/,
    only: /^(sdk\/src\/|server\/(languages|member-languages|billing\/metering\/weight|formats\/(chips|glossary-kinds|inline-content|layout-kinds|selection|tag-placing|term-fields)|translation\/integrity\/(markup|numbers|numerals|placeholders))\.ts$|web\/locales\/|web\/server\/(build|locale|shell|theme)\.ts$)/,
  },
  {
    // The program on the command line, which uses only what the SDK publishes.
    name: 'sdk/cli',
    files: /^sdk\/cli\/src\//,
    packages: any(/^npm:(@modelcontextprotocol\/sdk|tinyglobby|zod)$/, /^node:/),
    only: /^sdk\/src\/index\.ts$/,
  },
  {
    // It may import the types of the routers, and the list of languages, which is plain data.
    name: 'sdk',
    files: /^sdk\/src\//,
    packages: /^npm:@trpc\/server$/,
    only: /^server\/(languages|router)\.ts$/,
  },
  {
    // Operators' commands, and the programs that start processes. They may import all files.
    name: 'server/commands',
    files: /^server\/(main\.ts$|commands\/)/,
    packages: any(/^npm:(@trpc\/server|drizzle-orm|modern-tar|pg|postgres|zod)$/, /^node:/),
    db: /^db\//,
  },
  {
    // The parts of a process, including the jobs of workers.
    name: 'server/process and workers',
    files: /^(server\/process\.ts$|workers\/)/,
    packages: any(/^npm:(graphile-worker|drizzle-orm|pg)$/, /^node:/),
    db: /^db\/(client|migrate|pooler|queue-url)\.ts$/,
  },
  {
    name: 'server/app',
    files: /^server\/app\.ts$/,
    packages: any(/^npm:fastify$/, /^node:/),
  },
  // The transports.
  {
    // The part of the web application that runs on the server.
    name: 'web/server',
    files: /^web\/server\//,
    packages: any(/^npm:(@fastify\/static|@trpc\/server|fastify|markdown-it)$/, /^node:/),
    db: /$^/,
  },
  {
    name: 'rest',
    files: /^rest\//,
    packages: any(/^npm:(?!drizzle-orm|postgres$|graphile-worker|openai|stripe$)/, /^node:/),
    only: /^server\/((context|errors|languages|router|settings|trpc)\.ts$|http\/|platform\/(ids|input-limits)\.ts$|formats\/layout-kinds\.ts$)/,
  },
  // The router that joins the routers of all domains. A router of a domain may use internal files of its domain, and
  // only this module may import the router.
  { name: 'routers', files: /^server\/([\w-]+\/)*[\w-]*router\.ts$/, packages: /^npm:zod$/ },
  // The content of the demo workspace.
  domain('demo', { tables: /tenants/, packages: /^node:(fs\/promises|path)$/ }),
  // Views and actions of operators: the queue, one workspace, the models, platform storage.
  domain('operations'),
  {
    // Metrics, traces, the log of requests, and the readiness of a process.
    name: 'server/observability',
    files: /^server\/observability\//,
    packages: any(/^npm:(@opentelemetry\/api|drizzle-orm|fastify|prom-client|zod)$/, /^node:http$/),
    db: /^db\/(client|schema-version)\.ts$/,
  },
  // The export of a workspace: the data of all domains.
  domain('workspace-export', { tables: /[\w-]+/, packages: /^node:(util|zlib)$/ }),
  // The deletion of data of all domains.
  domain('retention', { tables: /[\w-]+/ }),
  // The feed of what changes in a workspace.
  domain('events'),
  // Translation.
  domain('quality', { tables: /quality/ }),
  domain('analyses', { tables: /analyses|documents/ }),
  domain('review', {
    tables: /documents|reviews|translations/,
    published: /(assignments|texts|documents)\/[\w-]+\.ts$/,
  }),
  domain('texts', { tables: /translations/, published: /intake\/[\w-]+\.ts$/ }),
  domain('documents', { tables: /analyses|documents/ }),
  domain('records'),
  domain('translation', { packages: /^npm:eld$/, published: /[\w-]+\/[\w-]+\.ts$/ }),
  // Domains of a workspace.
  domain('language/translation-memory', {
    tables: /translation-memory/,
    published:
      /editing\/history\.ts$|imports\/(import-jobs|run-import)\.ts$|lookup\/(close-match|exact-match|examples|sentences)\.ts$/,
  }),
  domain('language/style-guides', { tables: /style-guides/ }),
  domain('language/terminology', { tables: /terminology/, packages: /^node:(os|worker_threads)$/ }),
  domain('language/segmentation', { tables: /segmentation/ }),
  domain('language/text-rules', { tables: /tenants/ }),
  domain('language'),
  domain('storage', { tables: /storage|tenants/ }),
  // Engines with the keys of workspaces.
  domain('engines', { tables: /tenants/ }),
  domain('billing/metering', { tables: /metering|tenants/ }),
  domain('billing', { tables: /billing|tenants/ }),
  domain('identity/api-keys', { tables: /identity/ }),
  domain('identity/auth', {
    tables: /identity|tenants/,
    // Single sign-on checks the IP addresses to which it connects, and passwords are hashed on threads.
    packages: /^node:(net|os|worker_threads)$/,
    published: /sso\/provider\.ts$/,
  }),
  domain('identity/members', { tables: /identity/ }),
  domain('identity/tenants', { tables: /tenants/ }),
  domain('identity/audit', { tables: /audit/ }),
  domain('identity/mail', { tables: /identity|mail|tenants/ }),
  domain('identity/access', { tables: /identity|tenants/, published: /guards\/[\w-]+\.ts$/ }),
  // The replacement of personal data in requests to models.
  domain('redaction', { packages: /^node:fs$/ }),
  // Modules that all procedures may use.
  {
    name: 'server/http',
    files: /^server\/http\//,
    packages: any(
      /^npm:(@trpc\/server|drizzle-orm|fastify|superjson|zod)$/,
      /^node:(crypto|http|net|stream|util|zlib)$/,
    ),
  },
  {
    name: 'server/trpc',
    files: /^server\/trpc\.ts$/,
    packages: /^npm:(@trpc\/server|superjson|zod)$/,
  },
  { name: 'server/context', files: /^server\/context\.ts$/, packages: /$^/ },
  {
    name: 'server/platform/engines',
    files: /^server\/platform\/engines\//,
    packages: any(
      /^npm:(openai|zod|@anthropic-ai\/sdk|deepl-node|@azure-rest\/ai-translation-text|@google-cloud\/translate)$/,
      /^node:timers/,
    ),
    interface: /\/(engine|select|tenant-engine)\.ts$/,
    db: /$^/,
  },
  {
    name: 'server/platform/payments',
    files: /^server\/platform\/payments\//,
    packages: any(/^npm:(stripe|zod)$/, /^node:/),
    db: /$^/,
  },
  {
    // Storage for files: a directory, which a thread writes, or a storage account, whose IP addresses are checked
    // before a connection.
    name: 'server/platform/stores',
    files: /^server\/platform\/stores\//,
    packages: any(/^npm:(@aws-sdk\/client-s3|@azure\/[\w-]+|undici)$/, /^node:/),
    interface: /\/stores\/[\w-]+\.ts$/,
    db: /^db\/schema\/storage\.ts$/,
  },
  {
    name: 'server/platform',
    files: /^server\/platform\//,
    packages: anyPackage,
    db: /^db\/(client|embedded\/index|pooler)\.ts$/,
  },
  {
    name: 'server/platform/sandbox',
    files: /^server\/platform\/sandbox\//,
    packages: /^node:/,
    // The tasks run in child processes, so other modules may import only the types of their input and result.
    interface:
      /\/(file-work|task-queue|isolation|remaining-access|release-bytes|sandbox-error|tasks\/[\w-]+)\.ts$/,
    only: /^server\/(formats\/|matching\/|languages\.ts$)/,
  },
  {
    // Pure functions: the similarity of texts, the terms in a text, and its sentences.
    name: 'server/matching',
    files: /^server\/matching\//,
    packages: /^(node:crypto|node:timers\/promises|npm:re2js)$/,
    interface:
      /\/(\w+\/index|terms\/glossary|patterns\/compile|sentences\/srx-rules|capitals|normal-form|typography|vectors)\.ts$/,
  },
  {
    // Pure functions that convert bytes to bytes. A format is a directory or a file. Its interface is a file directly
    // in `formats/`, or the reader or writer of its directory, or what decodes references of HTML.
    name: 'server/formats',
    files: /^server\/formats\//,
    packages: any(
      /^npm:(@formatjs\/icu-messageformat-parser|eld|yaml|parse5|entities|harfbuzzjs|hyphen|bidi-js|@cto\.af\/linebreak|@cantoo\/pdf-lib|@neslinesli93\/qpdf-wasm|csv-parse|docx|fflate|pdfjs-dist|saxes)$/,
      /^npm:(mdast-util-(from|to)-markdown|(mdast-util|micromark-extension)-(gfm|frontmatter)|mdast-util-mdx|micromark-extension-mdxjs|mdast|micromark-util-types)$/,
      // The typesetter reads fonts; Office files are ZIP archives; streams in PDF files are compressed, and compared by
      // hashes.
      /^node:(fs|module|vm|timers\/promises|zlib|crypto)$/,
    ),
    interface:
      /^server\/formats\/([\w-]+|golden\/[\w-]+|html\/character-references|(glossary|tbx|tmx|xliff|csv)\/(reader|writer|content))\.ts$/,
    only: /^server\/languages\.ts$/,
  },
  {
    name: 'server/errors, languages and settings',
    files: /^server\/((errors|languages|member-languages|settings)\.ts$|settings\/)/,
    packages: any(/^npm:(@trpc\/server|zod)$/, /^node:/),
    only: /$^/,
  },
  { name: 'web/locales', files: /^web\/locales\//, packages: /$^/, only: /$^/ },
  // It does not depend on other modules.
  { name: 'db', files: /^db\//, packages: anyPackage, only: /$^/ },
];

/** The index of the module to which a file belongs, from the top; -1 if the file belongs to no module. */
export const layerOf = (file: string): number => modules.findIndex(({ files }) => files.test(file));

/** The reason why an import is forbidden; undefined if the import is allowed. */
export function refusal({ from, to }: Import): string | undefined {
  const layer = layerOf(from);
  const module = modules[layer];
  if (!module) return `${from} is in no module`;
  return mayImport({ module, layer, from }, to) ? undefined : `${from} (${module.name}) may not import ${to}`;
}

function mayImport(
  { module, layer, from }: { module: Module; layer: number; from: string },
  to: string,
): boolean {
  if (/^(npm|node):/.test(to)) return module.packages.test(to);
  const below = layerOf(to);
  if (below === layer) return true;
  if (below < layer || (module.only && !module.only.test(to))) return false;
  if (to.startsWith('db/')) return (module.db ?? /^db\/client\.ts$/).test(to);
  const ownDomain = module.name === 'routers' && from !== 'server/router.ts' && `${dirname(from)}/`;
  return (ownDomain && to.startsWith(ownDomain)) || (modules[below]?.interface?.test(to) ?? true);
}
