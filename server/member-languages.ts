/** A language pair of a member. The source may be `*` for all languages, and a code without a region includes all regions. */
export interface MemberLanguage {
  source_lang: string;
  target_lang: string;
  /** Whether the member makes first reviews. */
  review: boolean;
  /** Whether the member makes second reviews. */
  second: boolean;
}

/** The languages of members by role, in lower case, such as `review en fr`. */
const rolesOf = new WeakMap<object, Set<string>>();

/**
 * Whether a member has a role for a language pair. A member without languages has all roles. A code without a region
 * includes all regions; the source `*` includes all languages.
 */
export function covers(
  languages: readonly MemberLanguage[],
  role: 'review' | 'second',
  pair: { source_lang: string; target_lang: string },
): boolean {
  if (languages.length === 0) return true;
  let roles = rolesOf.get(languages);
  if (!roles) {
    roles = new Set();
    for (const { source_lang, target_lang, ...has } of languages)
      for (const name of ['review', 'second'] as const)
        if (has[name]) roles.add(`${name} ${source_lang} ${target_lang}`.toLowerCase());
    rolesOf.set(languages, roles);
  }
  const targets = formsOf(pair.target_lang);
  return formsOf(pair.source_lang).some((source) =>
    targets.some((target) => roles.has(`${role} ${source} ${target}`)),
  );
}

/** Returns what a profile may name for a language: all languages, the code, and the code without its last parts. */
function formsOf(code: string): string[] {
  const parts = code.toLowerCase().split('-');
  return ['*', ...parts.map((_, at) => parts.slice(0, at + 1).join('-'))];
}
