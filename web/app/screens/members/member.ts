import type { PasswordResetLink, UserRow } from '#sdk/types.ts';
import type { Translate } from '../../i18n.tsx';

/** A row of the list of members. */
export type Member = UserRow;

/** A link with which a member can set a new password once. */
export type PasswordLink = PasswordResetLink;

/** Whether the personal data of a former member is removed. Then the email address is made of the member's ID. */
export function isAnonymized({ email }: Member): boolean {
  return email.endsWith('@anonymized.invalid');
}

/** The label of a role. For an unknown role, the name in the API is shown. */
export function roleName(role: string, t: Translate): string {
  if (role === 'global_administrator') return t('members.administrator');
  return role === 'agent_id_developer' ? t('members.member') : role;
}
