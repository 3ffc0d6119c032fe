import { execFileSync } from 'node:child_process';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '../..');

/** One mention of a rule, such as `A 8.2 rule 1`. */
export interface RuleReference {
  file: string;
  /** As it is written. */
  text: string;
  /** The name of its rule in docs/rules, as `allRules` gives it. */
  anchor: string;
}

/** A rule in docs/rules. */
export interface Rule {
  page: string;
  anchor: string;
  /** The files that it names. */
  files: string[];
}

const number = String.raw`\d{1,2}(?:\.\d{1,2})?(?![\d.]*\d)`;
const list = (item: string) => `${item}(?:(?:, | and |, and | to |-)${item})*`;
const references = new RegExp(
  String.raw`(?<![\w.])([ABC]) (${number}(?:(?:, | and )\d{1,2}\.\d{1,2}(?!\d))*)` +
    String.raw`(?:(?:'s)?,? (rule|gate|check)s? (${list('\\d{1,2}')})| "([^"\n]+)")?`,
  'g',
);
/** Text that looks like a reference, in a form that is not a rule. */
const misspelt = /(?<![\w.-])(?:[ABC][.-]?\d{1,2}\.\d{1,2}(?![\w.])|[ABC] § ?\d|Parts? [ABC]\b)/g;

/** Every reference in a text. Comment lines that were broken in the middle of one are joined first. */
export function referencesIn(file: string, text: string): RuleReference[] {
  const joined = text.replace(/\n[ \t]*(?:\*|\/\/|--|#)?[ \t]*/g, ' ');
  return [...joined.matchAll(references)].flatMap(([written, part, sections, kind, ordinals, name]) => {
    const all = (sections as string).match(/\d+(\.\d+)?/g) as string[];
    const anchors = all.map((section) => slug(`${part} ${section}`));
    const last = anchors.at(-1) as string;
    if (kind) anchors.splice(-1, 1, ...expand(ordinals as string).map((n) => `${last}-${kind}-${n}`));
    if (name) anchors.splice(-1, 1, `${last}-${slug(name)}`);
    return anchors.map((anchor) => ({ file, text: written.trim(), anchor }));
  });
}

/** `1, 3 and 4` or `1 to 4`, as numbers. */
function expand(ordinals: string): number[] {
  const range = /^(\d+)(?: to |-)(\d+)$/.exec(ordinals);
  if (!range) return (ordinals.match(/\d+/g) as string[]).map(Number);
  const [from, to] = [Number(range[1]), Number(range[2])];
  return Array.from({ length: to - from + 1 }, (_, i) => from + i);
}

/** Mentions of a rule in a spelling that `referencesIn` does not read. */
export function misspeltIn(text: string): string[] {
  return text.match(misspelt) ?? [];
}

/** The text files of the repository in which rules may be named. One test has letters with their places. */
export function filesThatNameRules(): string[] {
  return execFileSync('git', ['ls-files', '-co', '--exclude-standard'], { cwd: root, encoding: 'utf8' })
    .split('\n')
    .filter((file) => /\.(ts|md|sql|ya?ml|sh)$/.test(file) || file === 'Dockerfile')
    .filter(
      (file) => !/^test\/(corpus\/|docs\/rule|formats\/pdf-read)/.test(file) && existsSync(join(root, file)),
    );
}

/** Every reference in code, tests and documents. */
export function allReferences(): RuleReference[] {
  return filesThatNameRules().flatMap((file) => referencesIn(file, readFileSync(join(root, file), 'utf8')));
}

/** Every rule that docs/rules has, in the order of its pages: sections by their number, and the items below by their name. */
export function allRules(): Rule[] {
  return globSync('docs/rules/*.md', { cwd: root }).flatMap((page) => {
    let section = '';
    const entries = readFileSync(join(root, page), 'utf8').split(/^(?=## |- )/m);
    return entries.slice(1).map((text) => {
      const heading = /^## ([ABC] [\d.]+)/.exec(text)?.[1];
      if (heading) section = heading;
      const name = heading ?? `${section} ${/^- \*\*(.+?)\.?\*\*/.exec(text)?.[1]}`;
      const files = [...text.matchAll(/`((?:server|db|rest|web|workers|sdk|test)\/[\w./-]+)`/g)];
      return { page, anchor: slug(name), files: files.map(([, file]) => file) } as Rule;
    });
  });
}

function slug(name: string): string {
  return name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '');
}
