/** Domains that always require a review, each with synonyms that callers use. A synonym does not require a review. */
const words: Readonly<Record<string, string>> = {
  legal:
    'legals law laws lawyer lawyers attorney juridical juridic judicial jurisprudence litigation legislation contract contracts',
  medical: 'medicine medicinal medic medics biomedical biomedicine clinical clinic hospital surgery',
  healthcare: 'health ehealth',
  pharma: 'pharmaceutical pharmaceuticals pharmacy pharmacology pharmacological',
  finance: 'finances financing banking bank fintech',
  financial: 'financials',
};

/** Whether a domain always requires a review. */
export function isRegulated(domain: string): boolean {
  return Object.hasOwn(words, domain.trim().toLowerCase());
}

const meanings: ReadonlyMap<string, string> = new Map(
  Object.entries(words).flatMap(([regulated, others]) =>
    [regulated, ...others.split(' ')].map((word): [string, string] => [word, regulated]),
  ),
);

/** Maximum number of UTF-16 units of the domain that are compared. */
const longest = 200;

/**
 * Returns the regulated domain that another domain resembles, for example for `law`, `Health Care` and
 * `legal/contracts`. Undefined if the domain is itself regulated or resembles none.
 */
export function regulatedLike(domain: string): string | undefined {
  if (isRegulated(domain)) return undefined;
  const tokens =
    domain
      .slice(0, longest)
      .toLowerCase()
      .match(/\p{L}+/gu) ?? [];
  // A word of the list may be written as two words: `health care`.
  const joined = tokens.slice(1).map((token, index) => `${tokens[index]}${token}`);
  return [...joined, ...tokens].map((token) => meanings.get(token)).find((meaning) => meaning !== undefined);
}
