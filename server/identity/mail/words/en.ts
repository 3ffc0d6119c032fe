import type { MailWords } from './words.ts';

export const en: MailWords = {
  invite: {
    subject: 'Invite to the workspace {workspace}',
    lead: '{by} invites you to the workspace {workspace} on LinguaLoop.',
    leadByOperator: 'The operator of LinguaLoop invites you to the workspace {workspace}.',
    action: 'Accept invite',
    until: 'The link works once, until {when}.',
    why: 'If you did not expect this invite, ignore this email. Without the link, nothing happens.',
  },
  confirmation: {
    subject: 'Confirm your email address',
    lead: 'Someone has created an account on LinguaLoop with this email address. If it was you, confirm the address, so that you can get emails from LinguaLoop and send invites.',
    action: 'Confirm address',
    why: 'If it was not you, ignore this email. Until the address is confirmed, the account gets no notices by email.',
  },
  resetLink: {
    subject: 'Set a new password',
    lead: 'An administrator has created a link for you to set a new password for the workspace {workspace} on LinguaLoop.',
    leadOwn:
      'Someone asked at the sign-in of LinguaLoop to set a new password for your account in the workspace {workspace}.',
    action: 'Set password',
    until: 'The link works once, until {when}. It ends all your sessions.',
    why: 'If you did not ask for a new password, ignore this email and inform your administrator. Your password stays the same.',
  },
  security: {
    authenticator: 'New authenticator app for your account',
    recovery_codes: 'New recovery codes for your account',
    password: 'Your password was changed',
    provider: 'Single sign-on was linked to your account',
    lead: 'Account in the workspace {workspace} on LinguaLoop, {when}.',
    why: 'If this was you, you need to do nothing. If not, change your password and ask an administrator of the workspace to reset your authenticator app.',
    action: 'Open security settings',
  },
  secondReview: {
    subject: 'Fewer items need a second review',
    lead: 'An administrator changed the assignments or their rules in the workspace {workspace} on LinguaLoop so that fewer items need a second review, {when}.',
    why: 'If you do not expect this, check the rules. The audit log names who changed them.',
    action: 'Open assignment rules',
  },
  digest: {
    subject: { one: '{n} item awaits review', other: '{n} items await review' },
    lead: {
      one: '{n} item awaits review in the workspace {workspace}.',
      other: '{n} items await review in the workspace {workspace}.',
    },
    assigned: { one: '{n} item is assigned to you.', other: '{n} items are assigned to you.' },
    dueSoon: { one: '{n} item is due within a day.', other: '{n} items are due within a day.' },
    overdue: { one: '{n} item is overdue.', other: '{n} items are overdue.' },
    action: 'Open inbox',
  },
  decisions: {
    approved: { one: '{n} translation was approved.', other: '{n} translations were approved.' },
    rejected: { one: '{n} translation was rejected.', other: '{n} translations were rejected.' },
    lead: 'Submitted by you in the workspace {workspace}. Rejected translations are not published.',
    open: 'Open translations',
  },
  documents: {
    translated: { one: '{n} document is translated.', other: '{n} documents are translated.' },
    failed: { one: '{n} document could not be translated.', other: '{n} documents could not be translated.' },
    lead: 'Submitted by you in the workspace {workspace}.',
    openOne: 'Open document',
    openAll: 'Open files',
  },
  link: 'If the button does not work, open this URL:',
  why: 'You get this email because you are a member of the workspace {workspace}.',
  unsubscribe: 'Switch off emails of this kind',
};
