import { readFile, realpath } from 'node:fs/promises';
import { dirname, join, posix, relative, resolve, sep } from 'node:path';
import { glob } from 'tinyglobby';
import { Failed, UsageError } from '../command.ts';
import { lockName } from './lock-file.ts';

/** Codes for which Android has others: it keeps the former codes of languages, and names Chinese by regions. */
const others: ReadonlyMap<string, string> = new Map([
  ['he', 'iw'],
  ['id', 'in'],
  ['yi', 'ji'],
  ['zh-Hans', 'zh-CN'],
  ['zh-Hant', 'zh-TW'],
]);

/**
 * Returns the code of a language in the names of Android's resource directories: `pt-rBR` for `pt-BR`, `b+sr+Latn` for
 * `sr-Latn`. The names are those of Android Studio and Weblate; `b+` needs Android 5.0.
 *
 * @see https://developer.android.com/guide/topics/resources/providing-resources
 * @param language a BCP 47 language tag in any letter case
 */
function androidCode(language: string): string {
  const tag = canonical(language);
  const [base, ...rest] = (others.get(tag) ?? tag).split('-');
  const subtags = [others.get(base!) ?? base, ...rest];
  const isRegion = rest.length === 1 && /^[a-z]{2}$/i.test(rest[0]!);
  return isRegion ? subtags.join('-r') : rest.length === 0 ? subtags[0]! : `b+${subtags.join('+')}`;
}

/** Returns a tag in its usual letter case. An invalid tag stays, and the service rejects it. */
function canonical(language: string): string {
  try {
    return Intl.getCanonicalLocales(language)[0]!;
  } catch {
    return language;
  }
}

/** Files that are translated alike. Options of the command take precedence. */
export interface Group {
  /** Files, folders or patterns such as `docs/**\/*.docx`. */
  files: string[];
  exclude: string[];
  from: string;
  to: string[];
  /** The path of a translation; see `outputOf`. */
  output: string;
  /** What `{lang}` and `{android_code}` are for a language, if not its code: `pt_BR` for `pt-BR`. */
  codes: Readonly<Record<string, string>>;
  domain?: string;
  tone?: string;
  /** Texts that are translated only on request. By default, those that a file has and a reader sees. */
  include?: string[];
  /** Columns of sheets that stay, such as `A` or `Labels!A`. */
  exclude_columns?: string[];
}

/** The settings of a folder in `lingualoop.json`. Those of a group take precedence over the others. */
export type Config = Partial<Group> & { groups?: Partial<Group>[] };

export const configName = 'lingualoop.json';
export const defaultOutput = '{dir}{name}.{lang}{ext}';

const isText = (value: unknown) => typeof value === 'string';
const isTextList = (value: unknown) => Array.isArray(value) && value.every(isText);

const text = { is: isText, name: 'a string' };
const list = { is: isTextList, name: 'a list of strings' };

/** A code becomes a part of a path, so it has no slash, and is no `..`. */
const code = /^[A-Za-z0-9](?:[\w.+@-]*[\w])?$/;

const kinds: Record<keyof Group, { is(value: unknown): boolean; name: string }> = {
  files: list,
  exclude: list,
  from: text,
  to: list,
  output: text,
  codes: {
    is: (value) => isObject(value) && Object.values(value).every((one) => isText(one) && code.test(one)),
    name: 'an object of codes without slashes, such as {"pt-BR": "pt_BR"}',
  },
  domain: text,
  tone: text,
  include: list,
  exclude_columns: list,
};

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * Reads `lingualoop.json` of a folder; an absent file has no settings.
 * @throws UsageError that names the wrong field
 */
export async function readConfig(folder: string): Promise<Config> {
  let content: string;
  try {
    content = await readFile(join(folder, configName), 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return {};
    throw new Failed(`cannot read ${configName}: ${(error as Error).message}`);
  }
  let value: unknown;
  try {
    value = JSON.parse(content.replace(/^\ufeff/, ''));
  } catch (error) {
    throw new UsageError(`${configName} is not JSON: ${(error as Error).message}`);
  }
  if (!isObject(value)) throw new UsageError(`${configName} must be a JSON object`);
  const { groups, ...shared } = value;
  const config: Config = readGroup(shared, '', [...Object.keys(kinds), 'groups']);
  if (groups === undefined) return config;
  if (!Array.isArray(groups) || groups.length === 0)
    throw new UsageError(`${configName}: groups must be a list of objects`);
  if (config.files) throw new UsageError(`${configName}: files must be in the groups, if there are groups`);
  return {
    ...config,
    groups: groups.map((group, index) => {
      const at = `groups[${index}]`;
      if (!isObject(group)) throw new UsageError(`${configName}: ${at} must be an object`);
      const read = readGroup(group, `${at}.`, Object.keys(kinds));
      if (!read.files) throw new UsageError(`${configName}: ${at}.files is missing`);
      return read;
    }),
  };
}

/** @throws UsageError that names the wrong field */
function readGroup(value: Record<string, unknown>, prefix: string, names: readonly string[]): Partial<Group> {
  for (const [name, field] of Object.entries(value)) {
    const kind = Object.hasOwn(kinds, name) ? kinds[name as keyof Group] : undefined;
    if (!kind)
      throw new UsageError(
        `${configName}: unknown field ${JSON.stringify(`${prefix}${name}`)}; it has ${names.join(', ')}`,
      );
    if (!kind.is(field)) throw new UsageError(`${configName}: ${prefix}${name} must be ${kind.name}`);
  }
  const group = value as Partial<Group>;
  const other = Object.keys(group.codes ?? {}).find((lang) => group.to && !group.to.includes(lang));
  if (other !== undefined)
    throw new UsageError(
      `${configName}: ${prefix}codes has ${JSON.stringify(other)}, which ${prefix}to lacks`,
    );
  return group;
}

/** Folders that contain no sources of a project. */
const never = ['**/node_modules/**', '**/.git/**', '**/.lingualoop/**'];

/** The files of this program, which are never sources. */
const own: ReadonlySet<string> = new Set([configName, lockName]);

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
export async function findSources(folder: string, group: Group, named: boolean): Promise<string[]> {
  const { files, exclude, to } = group;
  const found = new Set<string>();
  const options = {
    cwd: folder,
    ignore: [...never, ...exclude],
    dot: false,
    onlyFiles: true,
    expandDirectories: false,
  };
  for (const given of files) {
    // An unset variable of a shell, which must not select the whole folder.
    if (given === '') throw new UsageError('the name of a file is empty');
    const pattern = relative(folder, resolve(folder, given)).split(sep).join('/') || '.';
    // A file can have a name that is also a pattern, such as `report (1).docx`, and a shell inserts such names.
    const exact = pattern === '.' ? [] : await glob(escapeGlob(pattern), { ...options, ignore: [] });
    const isPattern = exact.length === 0 && /[*?[\]{}!()]/.test(pattern);
    const inside = isPattern
      ? []
      : await glob(`${pattern === '.' ? '' : `${escapeGlob(pattern)}/`}**/*.{${foundInFolders.join(',')}}`, {
          ...options,
          caseSensitiveMatch: false,
        });
    const matched = isPattern ? await glob(pattern, options) : [...exact, ...inside];
    if (matched.length === 0 && named) throw new UsageError(`no file matches ${JSON.stringify(given)}`);
    // A shell inserts the program's own files for `*`.
    for (const path of matched) if (!own.has(posix.basename(path))) found.add(posix.normalize(path));
  }
  if (found.size === 0)
    throw new UsageError(`no file matches ${JSON.stringify(files)}${named ? '' : ` of ${configName}`}`);
  const outside = [...found].find(leadsOut);
  if (outside !== undefined) throw new UsageError(`${outside} is outside of this folder`);
  // A file that is found twice, because a link leads to its folder.
  const root = await realpath(folder);
  for (const path of found) {
    const place = join(await realpath(join(folder, dirname(path))), posix.basename(path));
    const real = relative(root, place).split(sep).join('/');
    if (real !== path && found.has(real)) found.delete(path);
  }
  // `notes.de.txt` is the translation of `notes.txt`, if both are found.
  const outputs = new Set(
    [...found].flatMap((path) =>
      to.map((lang) => outputOf(group, path, lang)).filter((translation) => translation !== path),
    ),
  );
  return [...found].filter((path) => !outputs.has(path)).sort();
}

function escapeGlob(path: string): string {
  return path.replaceAll(/[*?[\]{}!()\\]/g, '\\$&');
}

/**
 * Returns the path of a translation. The pattern may have `{dir}` (with a slash at its end, or empty), `{name}`, `{ext}`
 * (with its dot), `{path}` (all three), `{lang}` and `{android_code}`.
 */
export function outputOf(
  { output, codes }: Pick<Group, 'codes' | 'output'>,
  source: string,
  language: string,
): string {
  const { dir, name, ext } = posix.parse(source);
  const folder = dir === '' ? '' : `${dir}/`;
  const own = Object.hasOwn(codes, language) ? codes[language] : undefined;
  const parts: Record<string, string> = {
    dir: folder,
    name,
    ext,
    path: `${folder}${name}${ext}`,
    lang: own ?? language,
    android_code: own ?? androidCode(language),
  };
  return posix.normalize(output.replaceAll(/\{(\w+)\}/g, (whole, key: string) => parts[key] ?? whole));
}

const leadsOut = (path: string) =>
  path === '..' || path.startsWith('../') || posix.isAbsolute(path) || /^[a-z]:/i.test(path);

/**
 * @throws UsageError if a source is in two groups, two translations would have the same path, or one would replace a source
 */
export function requireDistinctOutputs(
  groups: readonly (Pick<Group, 'codes' | 'output' | 'to'> & { sources: readonly string[] })[],
): void {
  const sources = new Set<string>();
  for (const source of groups.flatMap((group) => group.sources)) {
    if (sources.has(source)) throw new UsageError(`${source} is in two groups of ${configName}`);
    sources.add(source);
  }
  const taken = new Map<string, string>();
  for (const group of groups) {
    const output = JSON.stringify(group.output);
    if (/\{(?!(?:dir|name|ext|path|lang|android_code)\})\w+\}/.test(group.output))
      throw new UsageError(
        `unknown placeholder in --output ${output}; it may have {dir}, {name}, {ext}, {path}, {lang} and {android_code}`,
      );
    for (const source of group.sources)
      for (const lang of group.to) {
        const path = outputOf(group, source, lang);
        if (leadsOut(path)) throw new UsageError(`--output ${output} leads out of this folder: ${path}`);
        if (/(^|\/)\.?$/.test(path))
          throw new UsageError(`--output ${output} is a folder; add a file name, such as {name}.{lang}{ext}`);
        if (sources.has(path))
          throw new UsageError(`--output ${output} would replace the source ${path}; add {lang}`);
        const other = taken.get(path);
        if (other !== undefined)
          throw new UsageError(
            `--output ${output} gives ${path} for ${other} and for ${source} in ${lang}; add {lang} or {path}`,
          );
        taken.set(path, `${source} in ${lang}`);
      }
  }
}

/** @throws Failed if a symbolic link leads a path out of the folder */
export async function requireInside(folder: string, path: string): Promise<void> {
  const root = await realpath(folder);
  for (let at = join(folder, path); ; at = dirname(at)) {
    const real = await realpath(at).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return undefined;
      throw error;
    });
    if (real === undefined) continue;
    const inside = relative(root, real).split(sep).join('/');
    if (leadsOut(inside)) throw new Failed(`${path} is a link that leads out of this folder`);
    return;
  }
}
