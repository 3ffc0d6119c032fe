import type { PasswordResetLink, UserRow } from '#sdk/types.ts';
import type { Translate } from '../../i18n.tsx';

/** A row of the roster (A 2.2). */
export type Member = UserRow;

/** A link by which a member sets a new password, once. */
export type PasswordLink = PasswordResetLink;

/** The name of a role. One that this version does not know stands as the service writes it. */
export function roleName(role: string, t: Translate): string {
  if (role === 'global_administrator') return t('members.administrator');
  return role === 'agent_id_developer' ? t('members.member') : role;
}
