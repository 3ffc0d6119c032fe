/** A text in the plural forms of its language, by the number `{n}`. */
export type Plural = Partial<Record<Intl.LDMLPluralRule, string>> & { other: string };

/**
 * The texts of mails in one language. `{workspace}`, `{by}`, `{when}` and `{n}` are replaced. They are not in
 * `web/locales`, because those catalogs are compiled for the browser.
 */
export interface MailWords {
  invite: {
    subject: string;
    /** `{by}` is the email address of a member. */
    lead: string;
    leadByOperator: string;
    action: string;
    until: string;
    why: string;
  };
  /** Without the name of the workspace: someone else may have chosen the name and entered this address. */
  confirmation: { subject: string; lead: string; action: string; why: string };
  /** `leadOwn` if the member, or another person, asked for the link at the sign-in. */
  resetLink: { subject: string; lead: string; leadOwn: string; action: string; until: string; why: string };
  /** The subjects of mails about a change of the member's sign-in, and what they have in common. */
  security: {
    authenticator: string;
    recovery_codes: string;
    password: string;
    /** The account of the identity provider was linked. */
    provider: string;
    lead: string;
    why: string;
    action: string;
  };
  /** To the administrators, when a rule of assignments no longer demands a second review. */
  secondReview: { subject: string; lead: string; why: string; action: string };
  /** `assigned`, `dueSoon` and `overdue` are about the items that are assigned to the member. */
  digest: {
    subject: Plural;
    lead: Plural;
    assigned: Plural;
    dueSoon: Plural;
    overdue: Plural;
    action: string;
  };
  /** Decisions about what the member submitted. */
  decisions: { approved: Plural; rejected: Plural; lead: string; open: string };
  documents: { translated: Plural; failed: Plural; lead: string; openOne: string; openAll: string };
  /** Before the URL of the button, for programs that do not show it. */
  link: string;
  /** The reason for a mail that the member can switch off, and the link that does this. */
  why: string;
  unsubscribe: string;
}
