import type { AuditEvent } from '#sdk/types.ts';
import { type Translate, useT } from '../../i18n.tsx';
import { useFormat } from '../../parts/format.ts';
import { isAction } from './actions.ts';
import styles from './audit.module.css';
import { detailWords } from './detail-words.ts';

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
    <div className={`table-scroll ${styles['log']}`}>
      <table className="stacked">
        <thead>
          <tr>
            <th scope="col">{t('audit.when')}</th>
            <th scope="col">{t('audit.what')}</th>
            <th scope="col">{t('audit.by')}</th>
            <th scope="col">{t('audit.about')}</th>
            <th scope="col">{t('audit.details')}</th>
          </tr>
        </thead>
        <tbody>
          {events.map(({ id, recorded_at, action, actor, target, address, request_id, details }) => (
            <tr key={id}>
              <td data-label={t('audit.when')}>
                <time dateTime={recorded_at}>{moment(recorded_at)}</time>
              </td>
              <td data-label={t('audit.what')}>{isAction(action) ? t(`audit.${action}`) : action}</td>
              <td data-label={t('audit.by')}>
                {actor.id === null ? (
                  <bdi>{kindName(actor.kind, t)}</bdi>
                ) : (
                  <bdi translate="no">{people.get(actor.id) ?? actor.id}</bdi>
                )}
              </td>
              <td data-label={t('audit.about')}>
                {target !== null && !isCode(target, people) && (
                  <bdi translate="no">{people.get(target) ?? target}</bdi>
                )}
              </td>
              <td data-label={t('audit.details')}>
                <div className={styles['details']}>
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
                </div>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
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
    <details>
      <summary>{t('audit.stored')}</summary>
      {Object.entries(of).map(([name, value]) => (
        <bdi key={name} translate="no">
          {name}: {typeof value === 'string' ? value : JSON.stringify(value)}
        </bdi>
      ))}
    </details>
  );
}

const kinds = ['member', 'api_key', 'anonymous', 'operator_key', 'server', 'payment_processor'] as const;

/** The name of an actor's kind, for actors that are not members. For an unknown kind, the name in the API is shown. */
function kindName(kind: string, t: Translate): string {
  const known = kinds.find((one) => one === kind);
  return known ? t(`audit.by_${known}`) : kind;
}
