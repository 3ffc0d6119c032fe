import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/*
 * Counts unclear wording in texts that people read, and fails if a count exceeds its limit. `npm run check` runs this
 * program. Limits are only lowered: after rewording, run `node test/docs/words.ts --counts` and enter the lower counts
 * into the table. `goal` is the number of lines in all five sets that may keep the wording, because its use is clear
 * there.
 */

const sets = ['interface', 'guides', 'messages', 'comments', 'titles'] as const;
type Set = (typeof sets)[number];

export interface Pattern {
  name: string;
  pattern: RegExp;
  /** Maximum number of matching lines in each set, in the order of `sets`. */
  limits: readonly number[];
  goal: number;
}

function row(name: string, pattern: RegExp, limits: readonly number[], goal: number): Pattern {
  return { name, pattern, limits, goal };
}

// biome-ignore format: a table
const patterns: Pattern[] = [
  row('beside', /\b[Bb]eside\b/, [0, 0, 0, 2, 20], 0),
  row('meanwhile', /\b[Mm]eanwhile\b/, [0, 0, 0, 0, 13], 0),
  row('anew', /\banew\b/, [0, 0, 0, 0, 9], 0),
  row('goes on', /\b(?<!what )(?<!is )go(es|ing)? on\b|\bwent on\b/, [0, 0, 0, 0, 10], 0),
  row('of its own', /\bof (its|their|his|her|one's|your|our) own\b/, [0, 2, 0, 7, 16], 10),
  row('is none', /\b(is|are|was|were) (none|nobody|nothing)\b/, [0, 0, 0, 9, 16], 10),
  row('is no X', /\b(is|are|was|were) no [a-z]/, [2, 3, 4, 76, 40], 40),
  row('opening noun clause', /(^|\. |\/\*\* |\/\/ |\| |")(What|Who|Whoever|Whose|Where|How often) (?!is |are |do |does |to )[a-z]/, [0, 0, 1, 10, 0], 10),
  row('where for if', /\b[Ww]here (a|an|the|it|that|there|no|they|one|somebody|nobody) /, [3, 0, 0, 21, 61], 60),
  row('any more', /\bany ?more\b/, [0, 0, 0, 0, 0], 0),
  row('somebody', /\b(some|no|any|every)body\b(?!":)/, [0, 0, 0, 1, 19], 0),
  row('N at most', /\b[0-9][0-9,]*( [a-z]+){0,3} at (most|least)\b/, [0, 1, 0, 4, 3], 0),
  row('alone at the end', /\b(by )?(itself|themselves|alone)[.,;:)]/, [1, 0, 1, 45, 10], 0),
  row('newest', /\bnewest\b(?!')/, [0, 0, 0, 1, 9], 0),
  row('answer for response', /\b[Aa]nswers?\b(?! for)/, [0, 1, 13, 3, 23], 10),
  row('says, knows', /\b(says|tells|knows|wants|speaks|takes .{0,20} for)\b/, [0, 0, 0, 10, 72], 30),
  row('found a workspace', /\b[Ff]ound(s|ing)? (a |the |another )?(workspace|tenant)|\b[Ff]ound(er|ers|ing)\b|\bfounded\b/, [0, 0, 0, 17, 1], 0),
  row('wait', /\bwaits?\b|\bwaited\b|\bwaiting for (a|an|its|review)/, [3, 30, 12, 270, 67], 120),
  row('under way', /\bunder way\b|\bin flight\b/, [0, 0, 0, 0, 6], 0),
  row('take up, put back', /\b(take|takes|taken|put|puts|give|gives|given|came|come|comes|brought|hand|hands) (up|back|out)\b/, [0, 1, 0, 2, 17], 0),
  row('of before', /\b(of|the [a-z]+) before\b(?! [a-z])/, [0, 0, 0, 2, 5], 0),
  row('mend', /\bmend(s|ed|ing)?\b/, [0, 0, 0, 0, 0], 0),
  row('rule code', /(?<![A-Za-z0-9])[ABC] [0-9]+(\.[0-9]+)*\b/, [0, 3, 0, 39, 271], 0),
  row('e-mail', /\b[Ee]-mail/, [0, 0, 0, 0, 1], 0),
  row('British spelling', /\b(licence|honoured|enrol|enrols|behaviour|colour|normalised|recognised|(?<![=`'"])cancelled)\b/, [0, 0, 0, 0, 1], 0),
];

const interfaceTexts = /^web\/(locales\/en\/|pages\/(resources\/)?[\w-]+\.md$)/;
const guides = /^(?!web\/pages\/|test\/|docs\/gallery\/).*\.md$/;
const code = /^(server|rest|workers|sdk\/src|web\/server|db)\/.*\.tsx?$/;
/** Files with texts in other languages. Their comments are searched, but not their texts. */
const otherLanguages = /\/(landing-words|mail\/words)\/(?!en\.|words\.)|\/(mail-link|page)-words\.ts$/;
const comment = /^\s*(\/\/|\/?\*)/;
const quote = /['`]/;
const title = /^\s*(it|test|describe)\b/;

/** A line that people read, and the sets to which it belongs. */
interface Line {
  place: string;
  text: string;
  sets: Set[];
}

/** The lines of a file that belong to a set. */
export function linesOf(file: string, content: string): Line[] {
  const isSource = /\.tsx?$/.test(file);
  const always: Set[] = [];
  if (interfaceTexts.test(file)) always.push('interface');
  if (guides.test(file)) always.push('guides');
  if (!isSource && always.length === 0) return [];
  return content.split('\n').flatMap((text, index) => {
    const sets = [...always];
    if (isSource && comment.test(text)) sets.push('comments');
    else if (code.test(file) && !otherLanguages.test(file) && quote.test(text)) sets.push('messages');
    if (file.startsWith('test/') && isSource && title.test(text)) sets.push('titles');
    return sets.length > 0 ? [{ place: `${file}:${index + 1}`, text, sets }] : [];
  });
}

/** For each set, the lines that match a pattern. In messages, only the text after the opening quote is searched. */
export function matchesOf(
  { pattern }: Pick<Pattern, 'pattern'>,
  lines: readonly Line[],
): Record<Set, Line[]> {
  const inMessage = new RegExp(`^[^'\`]*['\`][^'\`]*(?:${pattern.source})`);
  const found = lines.filter(({ text }) => pattern.test(text));
  const inSet = (set: Set) => found.filter(({ sets }) => sets.includes(set));
  return {
    interface: inSet('interface'),
    guides: inSet('guides'),
    messages: inSet('messages').filter(({ text }) => inMessage.test(text)),
    comments: inSet('comments'),
    titles: inSet('titles'),
  };
}

/** The output for a pattern whose count exceeds its limit; otherwise empty. */
export function excessOf(pattern: Pattern, lines: readonly Line[]): string[] {
  const matches = matchesOf(pattern, lines);
  return sets.flatMap((set, index) => {
    const found = matches[set];
    const limit = pattern.limits[index] ?? 0;
    if (found.length <= limit) return [];
    const shown = found.slice(0, 20).map(({ place, text }) => `  ${place}: ${text.trim().slice(0, 160)}`);
    return [`"${pattern.name}" in ${set}: ${found.length} lines, limit ${limit}`, ...shown];
  });
}

if (import.meta.main) {
  const root = join(import.meta.dirname, '../..');
  const files = execFileSync('git', ['ls-files', '*.md', '*.ts', '*.tsx', 'web/locales/en'], {
    cwd: root,
    encoding: 'utf8',
  });
  const lines = files
    .trim()
    .split('\n')
    .filter((file) => existsSync(join(root, file)))
    .flatMap((file) => linesOf(file, readFileSync(join(root, file), 'utf8')));
  if (process.argv.includes('--counts')) {
    for (const pattern of patterns) {
      const matches = matchesOf(pattern, lines);
      const counts = sets.map((set) => matches[set].length);
      const total = counts.reduce((sum, count) => sum + count);
      console.log(`${pattern.name}: [${counts.join(', ')}], ${total} of ${pattern.goal} that may stay`);
    }
  } else {
    const excess = patterns.flatMap((pattern) => excessOf(pattern, lines));
    for (const line of excess) console.error(line);
    if (excess.length > 0) process.exit(1);
    console.log(`The wording of ${lines.length} lines is within its limits.`);
  }
}
