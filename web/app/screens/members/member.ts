import type { PasswordResetLink, UserRow } from '#sdk/types.ts';
import type { Translate } from '../../i18n.tsx';

/** A row of the list of members. */
export type Member = UserRow;

/** A link with which a member sets a new password, once. */
export type PasswordLink = PasswordResetLink;

/** The label of a role. An unknown one is shown by its name. */
export function roleName(role: string, t: Translate): string {
  if (role === 'global_administrator') return t('members.administrator');
  return role === 'agent_id_developer' ? t('members.member') : role;
}
