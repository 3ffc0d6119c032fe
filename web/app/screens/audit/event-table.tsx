import type { AuditEvent } from '#sdk/types.ts';
import { type MessageId, type Translate, useT } from '../../i18n.tsx';
import { Stack } from '../../kit/box.tsx';
import { DataTable } from '../../kit/data-table.tsx';
import { Text } from '../../kit/text.tsx';
import { useFormat } from '../../parts/format.ts';
import { isAction } from './actions.ts';

/** Events, the latest first. @param people email addresses of members by ID */
export function EventTable({
  events,
  people,
}: {
  events: AuditEvent[];
  people: ReadonlyMap<string, string>;
}) {
  const t = useT();
  const { moment, number } = useFormat();
  return (
    <DataTable
      rows={events}
      keyOf={({ id }) => id}
      columns={[
        {
          title: t('audit.when'),
          cell: ({ recorded_at }) => <time dateTime={recorded_at}>{moment(recorded_at)}</time>,
        },
        {
          title: t('audit.what'),
          wraps: true,
          cell: ({ action }) => (isAction(action) ? t(`audit.${action}`) : action),
        },
        {
          title: t('audit.by'),
          least: 12,
          wraps: true,
          cell: ({ actor }) =>
            actor.id === null ? (
              <bdi>{kindName(actor.kind, t)}</bdi>
            ) : (
              <bdi translate="no">{people.get(actor.id) ?? actor.id}</bdi>
            ),
        },
        {
          title: t('audit.about'),
          wraps: true,
          cell: ({ target }) =>
            target !== null &&
            !isCode(target, people) && <bdi translate="no">{people.get(target) ?? target}</bdi>,
        },
        {
          title: t('audit.details'),
          wraps: true,
          cell: ({ action, target, address, request_id, details }) => (
            <Stack gap={0}>
              {detailWords(details, { t, number, people }).map(({ key, name, value }) => (
                <span key={key}>
                  {name}: <bdi>{value}</bdi>
                </span>
              ))}
              <Stored
                of={{
                  action,
                  ...(target !== null && { target }),
                  ...(address && { address }),
                  ...(request_id && { request_id }),
                  ...details,
                }}
              />
            </Stack>
          ),
        },
      ]}
    />
  );
}

/** Whether the target of an event is an ID without a name. */
function isCode(target: string, people: ReadonlyMap<string, string>): boolean {
  return !people.has(target) && /^([0-9a-f]{32}|\w+_\w{8,})$/.test(target);
}

/** The event as it is stored: its codes, the client's address and the request. */
function Stored({ of }: { of: Readonly<Record<string, unknown>> }) {
  const t = useT();
  return (
    <Text as="details" size="xs" tone="soft">
      <summary>{t('audit.stored')}</summary>
      <Stack gap={0}>
        {Object.entries(of).map(([name, value]) => (
          <bdi key={name} translate="no">
            {name}: {typeof value === 'string' ? value : JSON.stringify(value)}
          </bdi>
        ))}
      </Stack>
    </Text>
  );
}

const kinds = ['member', 'api_key', 'anonymous', 'operator_key', 'server', 'payment_processor'] as const;

/** The name of an actor's kind, for actors that are not members. For an unknown kind, the name in the API is shown. */
function kindName(kind: string, t: Translate): string {
  const known = kinds.find((one) => one === kind);
  return known ? t(`audit.by_${known}`) : kind;
}

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
  redaction: 'security.redaction',
  redaction_patterns: 'security.redaction_patterns',
  redaction_terms: 'security.redaction_terms',
  text_rules_keys: 'general.text_rules_keys',
  text_rules_attributes: 'general.text_rules_attributes',
  text_rules_placeholders: 'general.text_rules_placeholders',
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
interface Detail {
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
function detailWords(details: Readonly<Record<string, unknown>>, words: Words): Detail[] {
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
