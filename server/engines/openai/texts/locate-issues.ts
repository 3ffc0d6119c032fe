import type { QualityIssue } from '../../engine.ts';

/** Longer spans are looked for by their beginning: a hostile text cannot make the search dear. */
const soughtUnits = 64;

interface Bilingual {
  source: string;
  translation: string;
}

/** Where the issues of a text lie. */
export interface IssuesByGroup {
  /** For each group the issues whose span stands in it. */
  located: QualityIssue[][];
  /** Those without a span, or whose span stands nowhere. */
  unlocated: QualityIssue[];
}

/** Finds each issue's span in the source or the translation of the groups' texts, whatever the whitespace in it. */
export function locateIssues(
  groups: readonly (readonly Bilingual[])[],
  issues: readonly QualityIssue[],
): IssuesByGroup {
  const haystacks = groups.map((group) =>
    group.flatMap(({ source, translation }) => [normalize(translation), normalize(source)]),
  );
  const located: QualityIssue[][] = groups.map(() => []);
  const unlocated = issues.filter((issue) => {
    const sought = normalize(issue.span ?? '').slice(0, soughtUnits);
    if (sought === '') return true;
    const at = haystacks.flatMap((texts, index) =>
      texts.some((text) => text.includes(sought)) ? [index] : [],
    );
    for (const index of at) located[index]!.push(issue);
    return at.length === 0;
  });
  return { located, unlocated };
}

function normalize(text: string): string {
  return text.normalize('NFC').replace(/\s+/g, ' ').trim();
}
