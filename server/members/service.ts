export {
  type Administrators,
  administratorsOf,
  inviteByOperator,
  type RestoredAdministrator,
  restoreAdministrator,
} from './by-operator.ts';
export {
  findPendingInvite,
  previewInvite,
  redeemInvite,
} from './invite-redemption.ts';
export { createInvite, listInvites, pendingInvites, withdrawInvite } from './invites.ts';
export { addMember, type JoiningMember, listMembers } from './members.ts';
export { resetMfa } from './mfa-reset.ts';
export { type MemberRow, selectMember as findMember } from './queries/members.ts';
export { findResetLink, issueResetLink, readResetToken, usePasswordResetLink } from './reset-links.ts';
export { type CreatedInvite, type InviteRecord, type Role, role } from './schema.ts';
export { changeRole, restoreMember, revokeMember } from './standing.ts';
export { readTenantToken as readInviteToken } from './tenant-token.ts';
