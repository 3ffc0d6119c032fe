import type { MessageId, Translate } from '../../i18n.tsx';

/** The names of the details that everyone understands, by their keys. All others are shown as they are stored. */
const names: Readonly<Record<string, MessageId>> = {
  way: 'audit.detail_way',
  left: 'audit.detail_left',
  role: 'audit.detail_role',
  email: 'audit.detail_email',
  from: 'audit.detail_from',
  to: 'audit.detail_to',
  role_from: 'audit.detail_from',
  role_to: 'audit.detail_to',
  mfa_required: 'security.mfa_required',
  mfa_required_for_sso: 'security.mfa_required_for_sso',
  review_suspected_instructions: 'security.review_suspected_instructions',
  review_tm_sentences: 'security.review_tm_sentences',
  prefer_tm_context: 'security.prefer_tm_context',
  filesystem: 'storage.container',
  chars: 'audit.detail_chars',
  purchased: 'audit.detail_purchased',
  tier: 'audit.detail_tier',
  monthly_char_limit: 'audit.detail_limit',
  decided_by: 'audit.detail_decided_by',
  kind: 'audit.detail_kind',
  edited: 'audit.detail_edited',
  key_name: 'audit.detail_key_name',
  claimed_reviewer: 'audit.detail_claimed_reviewer',
};

/** The words for values, by key and value. */
const values: Readonly<Record<string, MessageId>> = {
  global_administrator: 'members.administrator',
  agent_id_developer: 'members.member',
  'way password': 'audit.way_password',
  'way sso': 'audit.way_sso',
  'way mfa': 'audit.way_mfa',
  'way invite': 'audit.way_invite',
  'way signup': 'audit.way_signup',
  'kind job': 'audit.kind_job',
  'kind document': 'audit.kind_document',
  'tier personal': 'billing.personal',
  'tier pro': 'billing.pro',
  'tier studio': 'billing.studio',
  'to active': 'billing.current',
  'from active': 'billing.current',
};

/** A detail of an event in words. */
export interface Detail {
  key: string;
  name: string;
  value: string;
}

interface Words {
  t: Translate;
  number: (value: number) => string;
  /** Email addresses of members by ID. */
  people: ReadonlyMap<string, string>;
}

/** The details of an event in the words of the interface; those without words, and empty ones, are left out. */
export function detailWords(details: Readonly<Record<string, unknown>>, words: Words): Detail[] {
  return Object.entries(details).flatMap(([key, value]) => {
    const name = Object.hasOwn(names, key) ? names[key] : undefined;
    const shown = valueWords(key, value, words);
    return name && shown !== undefined ? [{ key, name: words.t(name), value: shown }] : [];
  });
}

function valueWords(key: string, value: unknown, { t, number, people }: Words): string | undefined {
  if (typeof value === 'boolean') return t(value ? 'audit.on' : 'audit.off');
  if (typeof value === 'number') return number(value);
  if (typeof value !== 'string') return undefined;
  const known = [`${key} ${value}`, value].find((one) => Object.hasOwn(values, one));
  return known ? t(values[known] as MessageId) : (people.get(value) ?? value);
}
