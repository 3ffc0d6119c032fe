import { CalendarOff } from 'lucide-react';
import { useState } from 'react';
import { useColleagues } from '../../assignments/colleagues.ts';
import { ProfileDialog } from '../../assignments/profile-dialog.tsx';
import { useT } from '../../i18n.tsx';
import { useFormat } from '../../parts/format.ts';
import { useLanguages } from '../../parts/languages.tsx';
import { Read } from '../../parts/loading.tsx';
import { Setting } from '../../parts/setting.tsx';
import { StackedTable } from '../../parts/stacked-table.tsx';
import styles from './members.module.css';

/** The languages, time zone and absence of each member, for administrators. */
export function Reviewers() {
  const t = useT();
  const { utcDay } = useFormat();
  const { nameOf } = useLanguages();
  const colleagues = useColleagues();
  const [edited, setEdited] = useState<string>();
  const columns = [t('assignments.member'), t('assignments.languages'), t('assignments.time_zone')];
  const pairName = (source: string, target: string) =>
    source === '*' ? nameOf(target) : `${nameOf(source)} → ${nameOf(target)}`;
  return (
    <Setting id="reviewers" title={t('assignments.reviewers')} why={t('assignments.reviewers_why')} wide>
      <Read from={colleagues} lines={6}>
        {(members) => {
          const shown = members.find(({ user_id }) => user_id === edited);
          return (
            <>
              <StackedTable columns={columns} actions={t('members.actions')}>
                {members.map(({ user_id, name, email, languages, time_zone, away_from, away_to }) => (
                  <tr key={user_id}>
                    <th scope="row" className="plain-cell">
                      <bdi translate="no">{name}</bdi>
                      {name !== email && (
                        <bdi className="hint" translate="no">
                          {email}
                        </bdi>
                      )}
                      {away_from && away_to && (
                        <span className="badge">
                          <CalendarOff size={13} aria-hidden />{' '}
                          {t('assignments.away_days', { from: utcDay(away_from), to: utcDay(away_to) })}
                        </span>
                      )}
                    </th>
                    <td data-label={columns[1]}>
                      {languages.length === 0 ? (
                        t('assignments.any_language')
                      ) : (
                        <ul className={styles['pairs']}>
                          {languages.map(({ source_lang, target_lang, review, second }) => (
                            <li key={`${source_lang} ${target_lang}`}>
                              {pairName(source_lang, target_lang)}
                              {review !== second && (
                                <small>
                                  {t(review ? 'assignments.only_first' : 'assignments.only_second')}
                                </small>
                              )}
                            </li>
                          ))}
                        </ul>
                      )}
                    </td>
                    <td data-label={columns[2]} translate="no">
                      {time_zone.replaceAll('_', ' ')}
                    </td>
                    <td>
                      <button type="button" className="small" onClick={() => setEdited(user_id)}>
                        {t('assignments.edit')}{' '}
                        <bdi className="visually-hidden" translate="no">
                          {name}
                        </bdi>
                      </button>
                    </td>
                  </tr>
                ))}
              </StackedTable>
              {shown && <ProfileDialog profile={shown} onClose={() => setEdited(undefined)} />}
            </>
          );
        }}
      </Read>
    </Setting>
  );
}
