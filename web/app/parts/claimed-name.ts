import type { Translate } from '../i18n.tsx';
import { isolated } from './language-text.tsx';

/**
 * The name of a reviewer. A name that a client with an API key sent is marked as not verified, because only a session
 * identifies a person.
 * @param via the API key; null or undefined for a signed-in member
 */
export function reviewerName(name: string, via: { name: string | null } | null | undefined, t: Translate) {
  if (!via) return isolated(name);
  return via.name === null
    ? t('common.claimed', { name: isolated(name) })
    : t('common.claimed_with_key', { name: isolated(name), key: isolated(via.name) });
}
