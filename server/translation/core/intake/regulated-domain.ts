/** Domains that always require a review, with synonyms that callers use. The synonyms do not require one. */
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

/** UTF-16 units of the domain that are compared. */
const longest = 200;

/**
 * The regulated domain that another domain resembles: `law`, `Health Care`, `legal/contracts`. Undefined for a regulated
 * domain itself, and if there is no resemblance.
 */
export function regulatedLike(domain: string): string | undefined {
  if (isRegulated(domain)) return undefined;
  const tokens =
    domain
      .slice(0, longest)
      .toLowerCase()
      .match(/\p{L}+/gu) ?? [];
  // Two words may be one: `health care`.
  const joined = tokens.slice(1).map((token, index) => `${tokens[index]}${token}`);
  return [...joined, ...tokens].map((token) => meanings.get(token)).find((meaning) => meaning !== undefined);
}
