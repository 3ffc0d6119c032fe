import type { ApiKey } from '#sdk/types.ts';
import { useT } from '../../i18n.tsx';
import { useFormat } from '../../parts/format.ts';
import { StackedTable } from '../../parts/stacked-table.tsx';
import styles from './api-keys.module.css';

export type KeyAction = 'edit' | 'rotate' | 'revoke';

/** A table of API keys. @param onAct opens the dialog of an action on a key */
export function KeyTable({
  keys,
  onAct,
}: {
  keys: readonly ApiKey[];
  onAct: (what: KeyAction, key: ApiKey) => void;
}) {
  const t = useT();
  const format = useFormat();
  return (
    <StackedTable
      columns={[
        t('apiKeys.name'),
        t('apiKeys.scopes'),
        t('apiKeys.created'),
        t('apiKeys.last_used'),
        t('apiKeys.ends'),
      ]}
      actions={t('apiKeys.actions')}
      className={styles['keys']}
    >
      {keys.map((key) => (
        <tr key={key.key_id}>
          <td data-label={t('apiKeys.name')}>
            <span className={styles['stack']}>
              <bdi translate="no">{key.name}</bdi>
              <code translate="no" dir="ltr">
                {key.prefix}…
              </code>
            </span>
          </td>
          <td data-label={t('apiKeys.scopes')}>
            {key.scopes.map((scope) => t(`apiKeys.${scope}`)).join(', ')}
          </td>
          <td data-label={t('apiKeys.created')} className={styles['day']}>
            {format.day(key.created_at)}
          </td>
          <td data-label={t('apiKeys.last_used')} className={styles['day']}>
            {key.last_used_at ? (
              <span className={styles['stack']}>
                {format.day(key.last_used_at)}
                <span className="hint">{format.time(new Date(key.last_used_at))}</span>
              </span>
            ) : (
              t('apiKeys.never_used')
            )}
          </td>
          <td data-label={t('apiKeys.ends')}>
            <span className={styles['stack']}>
              {key.expires_at ? format.moment(key.expires_at) : t('apiKeys.no_end')}
              {key.expired && <span className="badge bad">{t('apiKeys.ended')}</span>}
              {key.overlap_ends_at && (
                <span className="hint">
                  {t('apiKeys.overlap_until', { when: format.moment(key.overlap_ends_at) })}
                </span>
              )}
            </span>
          </td>
          <td>
            <div className={styles['row']}>
              {(key.expired ? actionsOfEnded : actions).map((what) => (
                <button key={what} type="button" className="small" onClick={() => onAct(what, key)}>
                  {t(`apiKeys.${what}`)} <bdi className="visually-hidden">{key.name}</bdi>
                </button>
              ))}
            </div>
          </td>
        </tr>
      ))}
    </StackedTable>
  );
}

const actions: readonly KeyAction[] = ['edit', 'rotate', 'revoke'];
/** A key that has ended can be neither changed nor rotated. */
const actionsOfEnded: readonly KeyAction[] = ['revoke'];
