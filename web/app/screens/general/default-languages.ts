import { canonicalLanguage } from '#server/languages.ts';
import { useMe } from '../../session/use-me.ts';

/** The languages that an administrator has set for the workspace; null if the source language is to be detected. */
export interface DefaultLanguages {
  source: string | null;
  targets: string[];
}

/**
 * Returns the default languages of the workspace; undefined until they are known. Not in `use-me.ts`, so that the
 * editor does not load it.
 */
export function useDefaultLanguages(): DefaultLanguages | undefined {
  const { data } = useMe();
  if (!data) return undefined;
  const { default_source_lang: source, default_target_langs: targets } = data.tenant.metadata;
  const known = (code: unknown) => (typeof code === 'string' ? (canonicalLanguage(code) ?? []) : []);
  return { source: [known(source)].flat()[0] ?? null, targets: [targets].flat().flatMap(known) };
}
