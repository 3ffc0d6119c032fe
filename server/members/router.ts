import { router } from '#server/trpc.ts';
import { changeRole } from './procedures/change-role.ts';
import { createInvite } from './procedures/create-invite.ts';
import { issueResetLink } from './procedures/issue-reset-link.ts';
import { list } from './procedures/list.ts';
import { listInvites } from './procedures/list-invites.ts';
import { previewInvite } from './procedures/preview-invite.ts';
import { resetMfa } from './procedures/reset-mfa.ts';
import { restore } from './procedures/restore.ts';
import { revoke } from './procedures/revoke.ts';
import { withdrawInvite } from './procedures/withdraw-invite.ts';

export const membersRouter = router({
  list,
  revoke,
  restore,
  changeRole,
  resetMfa,
  issueResetLink,
  previewInvite,
  createInvite,
  listInvites,
  withdrawInvite,
});
