import type { AuditEvent } from '#sdk/types.ts';
import { type Translate, useT } from '../../i18n.tsx';
import { useFormat } from '../../parts/format.ts';
import { isAction } from './actions.ts';
import styles from './audit.module.css';

/** Events, the latest first. @param people email addresses of members by ID */
export function EventTable({
  events,
  people,
}: {
  events: AuditEvent[];
  people: ReadonlyMap<string, string>;
}) {
  const t = useT();
  const { moment } = useFormat();
  return (
    <div className="table-scroll">
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
                {address && (
                  <span className="hint">
                    <bdi translate="no">{address}</bdi>
                  </span>
                )}
              </td>
              <td data-label={t('audit.about')}>
                {target !== null && <bdi translate="no">{people.get(target) ?? target}</bdi>}
              </td>
              <td data-label={t('audit.details')} className={styles['details']}>
                {Object.entries(details).map(([name, value]) => (
                  <bdi key={name} translate="no">
                    {name}: {typeof value === 'string' ? value : JSON.stringify(value)}
                  </bdi>
                ))}
                {request_id && (
                  <bdi translate="no" className="hint">
                    {request_id}
                  </bdi>
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

const kinds = ['member', 'api_key', 'anonymous', 'operator_key', 'server', 'payment_processor'] as const;

/** The name of an actor's kind, for actors that are not members. For an unknown kind, the name in the API is shown. */
function kindName(kind: string, t: Translate): string {
  const known = kinds.find((one) => one === kind);
  return known ? t(`audit.by_${known}`) : kind;
}
