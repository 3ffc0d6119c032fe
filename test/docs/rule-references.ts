import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '../..');

/** One reference to a rule, such as `A 8.2 rule 1`. */
export interface RuleReference {
  file: string;
  /** The reference as it is written. */
  text: string;
  /** The name of the rule in docs/rules, in the form of `allRules`. */
  anchor: string;
}

/** A rule in docs/rules. */
export interface Rule {
  anchor: string;
  /** The files that implement the rule. */
  files: string[];
}

const number = String.raw`\d{1,2}(?:\.\d{1,2})?(?![\d.]*\d)`;
const list = (item: string) => `${item}(?:(?:, | and |, and | to |-)${item})*`;
const references = new RegExp(
  String.raw`(?<![\w.])([ABC]) (${number}(?:(?:, | and )\d{1,2}\.\d{1,2}(?!\d))*)` +
    String.raw`(?:(?:'s)?,? (rule|gate|check)s? (${list('\\d{1,2}')})| "([^"\n]+)")?`,
  'g',
);
/** Matches text that looks like a reference to a rule, but has another form. */
const misspelt = /(?<![\w.-])(?:[ABC][.-]?\d{1,2}\.\d{1,2}(?![\w.])|[ABC] § ?\d|Parts? [ABC]\b)/g;

/**
 * All references in a text. If a line of a comment ends in the middle of a reference, it is first joined with the next
 * line.
 */
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

/** Converts `1, 3 and 4` or `1 to 4` to numbers. */
function expand(ordinals: string): number[] {
  const range = /^(\d+)(?: to |-)(\d+)$/.exec(ordinals);
  if (!range) return (ordinals.match(/\d+/g) as string[]).map(Number);
  const [from, to] = [Number(range[1]), Number(range[2])];
  return Array.from({ length: to - from + 1 }, (_, i) => from + i);
}

/** References to a rule in a form that `referencesIn` does not recognize. */
export function misspeltIn(text: string): string[] {
  return text.match(misspelt) ?? [];
}

/**
 * The text files of the repository that may contain references. One test is excluded, because it contains letters with
 * numbers that are not references.
 */
export function filesThatNameRules(): string[] {
  return execFileSync('git', ['ls-files', '-co', '--exclude-standard'], { cwd: root, encoding: 'utf8' })
    .split('\n')
    .filter((file) => /\.(ts|md|sql|ya?ml|sh)$/.test(file) || file === 'Dockerfile')
    .filter(
      (file) => !/^test\/(corpus\/|docs\/rule|formats\/pdf-read)/.test(file) && existsSync(join(root, file)),
    );
}

/** All references in code, tests and documents. */
export function allReferences(): RuleReference[] {
  return filesThatNameRules().flatMap((file) => referencesIn(file, readFileSync(join(root, file), 'utf8')));
}

/** All rules in docs/rules: sections, and the items of a section, each in a line with the files that implement it. */
export function allRules(): Rule[] {
  const [, ...lines] = readFileSync(join(root, 'docs/rules/rules.tsv'), 'utf8').trimEnd().split('\n');
  return lines.map((line) => {
    const [section, item, , files] = line.split('\t');
    return { anchor: slug(`${section} ${item}`), files: files?.split(', ') ?? [] };
  });
}

function slug(name: string): string {
  return name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '');
}
