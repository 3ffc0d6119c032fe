import { readdirSync, readFileSync } from 'node:fs';

/** A text from a public project and its published translation; see `pairs/README.md`. */
export interface Pair {
  file: string;
  lang: string;
  half: 'develop' | 'held-out';
  source: string;
  target: string;
}

/** A person's judgment of a translation that the check reports: whether the translator has lost something. */
export interface Verdict {
  file: string;
  lang: string;
  source: string;
  verdict: 'loss' | 'false alarm';
  reason: string;
}

const folder = new URL('./pairs/', import.meta.url);

export const pairs: readonly Pair[] = readdirSync(folder)
  .filter((file) => file.endsWith('.json'))
  .flatMap((file) => {
    const content = JSON.parse(readFileSync(new URL(file, folder), 'utf8')) as {
      pairs: Omit<Pair, 'file'>[];
    };
    return content.pairs.map((pair) => ({ ...pair, file }));
  });

export const verdicts = JSON.parse(
  readFileSync(new URL('./verdicts.json', import.meta.url), 'utf8'),
) as readonly Verdict[];

export const nameOf = ({ file, lang, source }: Pick<Pair, 'file' | 'lang' | 'source'>): string =>
  `${file} ${lang} ${source}`;
