import { CalendarOff } from 'lucide-react';
import { useState } from 'react';
import { useColleagues } from '../../assignments/colleagues.ts';
import { ProfileDialog } from '../../assignments/profile-dialog.tsx';
import { useT } from '../../i18n.tsx';
import { Row } from '../../kit/box.tsx';
import { DataTable } from '../../kit/data-table.tsx';
import { Badge } from '../../kit/text.tsx';
import { useFormat } from '../../parts/format.ts';
import { useLanguages } from '../../parts/languages.tsx';
import { Read } from '../../parts/loading.tsx';
import { Setting } from '../../parts/setting.tsx';

/** The languages, time zone and absence of each member, for administrators. */
export function Reviewers() {
  const t = useT();
  const { utcDay } = useFormat();
  const { nameOf } = useLanguages();
  const colleagues = useColleagues();
  const [edited, setEdited] = useState<string>();
  const pairName = (source: string, target: string) =>
    source === '*' ? nameOf(target) : `${nameOf(source)} → ${nameOf(target)}`;
  return (
    <Setting id="reviewers" title={t('assignments.reviewers')} why={t('assignments.reviewers_why')} wide>
      <Read from={colleagues} lines={6}>
        {(members) => {
          const shown = members.find(({ user_id }) => user_id === edited);
          return (
            <>
              <DataTable
                rows={members}
                keyOf={({ user_id }) => user_id}
                columns={[
                  {
                    title: t('assignments.member'),
                    isName: true,
                    cell: ({ name, email, away_from, away_to }) => (
                      <>
                        <bdi translate="no">{name}</bdi>
                        {name !== email && (
                          <bdi className="hint" translate="no">
                            {email}
                          </bdi>
                        )}
                        {away_from && away_to && (
                          <Badge>
                            <CalendarOff size={13} aria-hidden />{' '}
                            {t('assignments.away_days', { from: utcDay(away_from), to: utcDay(away_to) })}
                          </Badge>
                        )}
                      </>
                    ),
                  },
                  {
                    title: t('assignments.languages'),
                    wraps: true,
                    cell: ({ languages }) =>
                      languages.length === 0 ? (
                        t('assignments.any_language')
                      ) : (
                        <Row as="ul" gap={1}>
                          {languages.map(({ source_lang, target_lang, review, second }) => (
                            <li key={`${source_lang} ${target_lang}`}>
                              <Badge>
                                {pairName(source_lang, target_lang)}
                                {review !== second && (
                                  <small>
                                    {t(review ? 'assignments.only_first' : 'assignments.only_second')}
                                  </small>
                                )}
                              </Badge>
                            </li>
                          ))}
                        </Row>
                      ),
                  },
                  {
                    title: t('assignments.time_zone'),
                    cell: ({ time_zone }) => <span translate="no">{time_zone.replaceAll('_', ' ')}</span>,
                  },
                ]}
                actions={{
                  title: t('members.actions'),
                  cell: ({ user_id, name }) => (
                    <button type="button" className="small" onClick={() => setEdited(user_id)}>
                      {t('assignments.edit')}{' '}
                      <bdi className="visually-hidden" translate="no">
                        {name}
                      </bdi>
                    </button>
                  ),
                }}
              />
              {shown && <ProfileDialog profile={shown} onClose={() => setEdited(undefined)} />}
            </>
          );
        }}
      </Read>
    </Setting>
  );
}
