import { useQuery, useQueryClient } from '@tanstack/react-query';
import { ask, tell } from '../../client.ts';
import { useT } from '../../i18n.tsx';
import { announce } from '../../parts/announcer.tsx';
import { useFormat } from '../../parts/format.ts';
import { Read } from '../../parts/loading.tsx';
import { Problem } from '../../parts/problem.tsx';
import { Setting } from '../../parts/setting.tsx';
import { useAction } from '../../parts/use-action.ts';
import { queryKeys } from '../../query-keys.ts';
import styles from './exports.module.css';

/** A session of the member. */
interface OwnSession {
  id: string;
  is_current: boolean;
  agent: string | null;
  network: string | null;
  signed_in_at: string;
  last_used_at: string;
}

/** The sessions of the member. Each session but this one can be ended. */
export function OwnSessions() {
  const t = useT();
  const format = useFormat();
  const queries = useQueryClient();
  const { run, error, isBusy } = useAction();
  const reading = useQuery({
    queryKey: queryKeys.sessions,
    queryFn: () => ask<{ sessions: OwnSession[] }>('auth.sessions'),
  });
  const end = (id: string) =>
    run(async () => {
      try {
        await tell('auth.endSession', { session_id: id });
        announce(t('security.session_was_ended'));
      } finally {
        await queries.invalidateQueries({ queryKey: queryKeys.sessions });
      }
    });
  return (
    <Setting id="own-sessions" title={t('security.sessions')} why={t('security.sessions_why')}>
      {error !== undefined && <Problem error={error} />}
      <Read from={reading} lines={2}>
        {({ sessions }) => (
          <ul className={styles['list']}>
            {sessions.map(({ id, is_current, agent, network, signed_in_at, last_used_at }) => (
              <li key={id}>
                <span>
                  {agent === null ? t('security.session_unknown') : <bdi translate="no">{agent}</bdi>}{' '}
                  {network !== null && (
                    <bdi className="hint" translate="no">
                      {network}
                    </bdi>
                  )}
                </span>
                <span className="hint">
                  {t('security.session_since', { when: format.moment(signed_in_at) })}
                </span>
                <span className="hint">
                  {t('security.session_used', { when: format.moment(last_used_at) })}
                </span>
                {is_current ? (
                  <span className="badge">{t('security.session_this')}</span>
                ) : (
                  <button type="button" className="small" disabled={isBusy} onClick={end(id)}>
                    {t('security.session_end')}
                  </button>
                )}
              </li>
            ))}
          </ul>
        )}
      </Read>
    </Setting>
  );
}
