import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { audit } from '#sdk/audit.ts';
import { members } from '#sdk/members.ts';
import type { AuditListQuery } from '#sdk/types.ts';
import { bound } from '../../client.ts';
import { useT } from '../../i18n.tsx';
import { Grid, Stack } from '../../kit/box.tsx';
import { DatePicker } from '../../kit/date-picker.tsx';
import { AdminsOnly } from '../../parts/admins-only.tsx';
import { Read } from '../../parts/loading.tsx';
import { More, usePages } from '../../parts/more.tsx';
import { queryKeys } from '../../query-keys.ts';
import { actions, isAction } from './actions.ts';
import { EventTable } from './event-table.tsx';

/** `/app/settings/audit`: the audit log of the workspace. */
export function AuditScreen() {
  return <AdminsOnly title="common.audit">{() => <Log />}</AdminsOnly>;
}

const pageSize = 100;

function Log() {
  const t = useT();
  const filter = useSearch({ from: '/workspace/app/settings/audit' });
  const request: AuditListQuery = {
    limit: pageSize,
    ...(isAction(filter.action) && { action: filter.action }),
    ...(filter.by && { actor_id: filter.by }),
    ...(filter.since && { since: midnight(filter.since, 0) }),
    ...(filter.until && { until: midnight(filter.until, 1) }),
  };
  const { reading, more } = usePages(queryKeys.audit(filter), (cursor) =>
    bound(audit).listPage({ ...request, ...(cursor && { cursor }) }),
  );
  const people = usePeople();
  return (
    <Stack gap={4}>
      <p className="hint">{t('audit.why')}</p>
      <Filters people={people} />
      <Read from={reading} lines={12}>
        {(events) =>
          events.length > 0 ? (
            <EventTable events={events} people={people} />
          ) : (
            // The service examines a limited number of events for each page, so the next page may have matches.
            <p>{t(more.hasNextPage ? 'audit.none_yet' : 'audit.none')}</p>
          )
        }
      </Read>
      <More of={more} />
    </Stack>
  );
}

/** The start of a local day, as an ISO time. @param later number of days to add */
function midnight(date: string, later: number): string {
  const [year = 0, month = 1, day = 1] = date.split('-').map(Number);
  return new Date(year, month - 1, day + later).toISOString();
}

/**
 * Email addresses of members, by member ID. Revoked members are included, because the log also contains their events.
 * For large workspaces, only the first 1,000 members.
 */
function usePeople(): ReadonlyMap<string, string> {
  const roster = useQuery({
    queryKey: queryKeys.members.emails,
    queryFn: () => bound(members).listPage({ include_revoked: true }),
    staleTime: 60_000,
  });
  return new Map(roster.data?.items.map(({ user_id, email }) => [user_id, email]));
}

function Filters({ people }: { people: ReadonlyMap<string, string> }) {
  const t = useT();
  const navigate = useNavigate({ from: '/app/settings/audit' });
  const filter = useSearch({ from: '/workspace/app/settings/audit' });
  const set = (name: keyof typeof filter, value: string) =>
    void navigate({ search: ({ [name]: _, ...rest }) => (value === '' ? rest : { ...rest, [name]: value }) });
  return (
    <Grid as="search" least={11} align="end">
      <label>
        {t('audit.action')}
        <select value={filter.action ?? ''} onChange={({ target }) => set('action', target.value)}>
          <option value="">{t('audit.all')}</option>
          {actions.map((action) => (
            <option key={action} value={action}>
              {t(`audit.${action}`)}
            </option>
          ))}
        </select>
      </label>
      <label>
        {t('audit.by')}
        <select value={filter.by ?? ''} onChange={({ target }) => set('by', target.value)}>
          <option value="">{t('audit.everybody')}</option>
          {[...people].map(([id, email]) => (
            <option key={id} value={id} translate="no">
              {email}
            </option>
          ))}
        </select>
      </label>
      <DatePicker label={t('audit.since')} value={filter.since} onValue={(since) => set('since', since)} />
      <DatePicker label={t('audit.until')} value={filter.until} onValue={(until) => set('until', until)} />
    </Grid>
  );
}
