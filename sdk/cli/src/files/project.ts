import { readFile } from 'node:fs/promises';
import { join, posix, sep } from 'node:path';
import { glob } from 'tinyglobby';
import { Failed, UsageError } from '../command.ts';

/** The settings of a folder in `lingualoop.json`. Options of the command take precedence. */
export interface Project {
  /** Files, folders or patterns such as `docs/**\/*.docx`. */
  files: string[];
  exclude: string[];
  from: string;
  to: string[];
  /** The path of a translation; see `outputOf`. */
  output: string;
  domain?: string;
  tone?: string;
}

export const configName = 'lingualoop.json';
export const defaultOutput = '{dir}{name}.{lang}{ext}';

const kinds: Record<keyof Project, 'text' | 'list'> = {
  files: 'list',
  exclude: 'list',
  from: 'text',
  to: 'list',
  output: 'text',
  domain: 'text',
  tone: 'text',
};

/**
 * Reads `lingualoop.json` of a folder; an absent file has no settings.
 * @throws UsageError that names the wrong field
 */
export async function readConfig(folder: string): Promise<Partial<Project>> {
  let text: string;
  try {
    text = await readFile(join(folder, configName), 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return {};
    throw new Failed(`cannot read ${configName}: ${(error as Error).message}`);
  }
  let value: unknown;
  try {
    value = JSON.parse(text.replace(/^\ufeff/, ''));
  } catch (error) {
    throw new UsageError(`${configName} is not JSON: ${(error as Error).message}`);
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new UsageError(`${configName} must be a JSON object`);
  for (const [name, field] of Object.entries(value)) {
    const kind = kinds[name as keyof Project];
    if (!kind)
      throw new UsageError(
        `${configName}: unknown field ${JSON.stringify(name)}; it has ${Object.keys(kinds).join(', ')}`,
      );
    const fits =
      kind === 'text'
        ? typeof field === 'string'
        : Array.isArray(field) && field.every((one) => typeof one === 'string');
    if (!fits)
      throw new UsageError(
        `${configName}: ${name} must be a ${kind === 'text' ? 'string' : 'list of strings'}`,
      );
  }
  return value as Partial<Project>;
}

/** Folders that contain no sources of a project. */
const never = [
  '**/node_modules/**',
  '**/.git/**',
  '**/.lingualoop/**',
  `**/${configName}`,
  '**/lingualoop.lock.json',
];

/**
 * The types that are found in a folder. A file that is named, or matches a pattern, may have any type: most JSON and YAML
 * files of a repository configure programs.
 */
const foundInFolders = ['txt', 'md', 'mdx', 'docx', 'xlsx', 'pptx', 'pdf', 'po', 'srt', 'vtt'];

/**
 * Finds the source files, as paths from the folder with `/`, sorted. Translations of an earlier run are not sources.
 * @param named whether the files were named in the command: then each must exist, otherwise one of them
 * @throws UsageError if a file or pattern matches nothing
 */
export async function findSources(
  folder: string,
  { files, exclude, to, output }: Pick<Project, 'exclude' | 'files' | 'output' | 'to'>,
  named: boolean,
): Promise<string[]> {
  const found = new Set<string>();
  const options = {
    cwd: folder,
    ignore: [...never, ...exclude],
    dot: false,
    onlyFiles: true,
    expandDirectories: false,
  };
  for (const given of files) {
    const pattern = given.split(sep).join('/').replace(/\/+$/, '') || '.';
    const isPattern = /[*?[\]{}!()]/.test(pattern);
    const exact = isPattern ? [] : await glob(escapeGlob(pattern), { ...options, ignore: [] });
    const inside = isPattern
      ? []
      : await glob(`${pattern === '.' ? '' : `${escapeGlob(pattern)}/`}**/*.{${foundInFolders.join(',')}}`, {
          ...options,
          caseSensitiveMatch: false,
        });
    const matched = isPattern ? await glob(pattern, options) : [...exact, ...inside];
    if (matched.length === 0 && named) throw new UsageError(`no file matches ${JSON.stringify(given)}`);
    for (const path of matched) found.add(posix.normalize(path));
  }
  if (found.size === 0) throw new UsageError(`no file matches "files" of ${configName}`);
  // `notes.de.txt` is the translation of `notes.txt`, if both are found.
  const outputs = new Set(
    [...found].flatMap((path) =>
      to.map((lang) => outputOf(output, path, lang)).filter((translation) => translation !== path),
    ),
  );
  return [...found].filter((path) => !outputs.has(path)).sort();
}

function escapeGlob(path: string): string {
  return path.replaceAll(/[*?[\]{}!()\\]/g, '\\$&');
}

/**
 * Returns the path of a translation. The pattern may have `{dir}` (with a slash at its end, or empty), `{name}`, `{ext}`
 * (with its dot), `{path}` (all three) and `{lang}`.
 */
export function outputOf(pattern: string, source: string, lang: string): string {
  const { dir, name, ext } = posix.parse(source);
  const folder = dir === '' ? '' : `${dir}/`;
  const parts: Record<string, string> = { dir: folder, name, ext, lang, path: `${folder}${name}${ext}` };
  return posix.normalize(pattern.replaceAll(/\{(\w+)\}/g, (whole, key: string) => parts[key] ?? whole));
}

/** @throws UsageError if two translations would have the same path, or one would replace its source */
export function requireDistinctOutputs(
  { output, to }: Pick<Project, 'output' | 'to'>,
  sources: readonly string[],
): void {
  const taken = new Map<string, string>();
  for (const source of sources)
    for (const lang of to) {
      const path = outputOf(output, source, lang);
      if (/\{\w+\}/.test(path))
        throw new UsageError(
          `unknown placeholder in --output ${JSON.stringify(output)}; it may have {dir}, {name}, {ext}, {path} and {lang}`,
        );
      if (path.startsWith('../') || posix.isAbsolute(path))
        throw new UsageError(`--output ${JSON.stringify(output)} leads out of this folder: ${path}`);
      if (sources.includes(path))
        throw new UsageError(
          `--output ${JSON.stringify(output)} would replace the source ${path}; add {lang}`,
        );
      const other = taken.get(path);
      if (other !== undefined)
        throw new UsageError(
          `--output ${JSON.stringify(output)} gives ${path} for ${other} and for ${source} in ${lang}; add {lang} or {path}`,
        );
      taken.set(path, `${source} in ${lang}`);
    }
}
