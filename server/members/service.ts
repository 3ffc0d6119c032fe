export {
  findPendingInvite,
  previewInvite,
  redeemInvite,
} from './invite-redemption.ts';
export { createInvite, listInvites, pendingInvites, withdrawInvite } from './invites.ts';
export { changeRole, restoreMember, revokeMember } from './member-status.ts';
export {
  addMember,
  findMember,
  type JoiningMember,
  listMembers,
  type MemberRow,
} from './members.ts';
export { resetMfa } from './mfa-reset.ts';
export {
  type Administrators,
  administratorsOf,
  inviteByOperator,
  type RestoredAdministrator,
  restoreAdministrator,
} from './operator-commands.ts';
export {
  findResetLink,
  issueResetLink,
  readResetToken,
  usePasswordResetLink,
} from './password-reset-links.ts';
export { type CreatedInvite, type InviteRecord, type Role, role } from './schema.ts';
export { readTenantToken as readInviteToken } from './tenant-token.ts';
