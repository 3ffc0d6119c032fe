import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { tenants } from '#sdk/tenants.ts';
import { bound, client } from '../../client.ts';
import { useT } from '../../i18n.tsx';
import { useFormat } from '../../parts/format.ts';
import { Read } from '../../parts/loading.tsx';
import { More, usePages } from '../../parts/more.tsx';
import { Setting } from '../../parts/setting.tsx';
import { StackedTable } from '../../parts/stacked-table.tsx';
import { queryKeys } from '../../query-keys.ts';
import { DailyReport } from '../usage/daily-report.tsx';
import { Deletions } from './deletions.tsx';
import { OperatorPage } from './operator-page.tsx';
import { ProvisionForm } from './provision-form.tsx';

const pageSize = 100;

/** `/app/settings/operator`: the workspaces of the deployment, and their usage. */
export function OperatorScreen() {
  return (
    <OperatorPage>
      <Tenants />
      <Deletions />
      <SummedUsage />
    </OperatorPage>
  );
}

function Tenants() {
  const t = useT();
  const { number, day } = useFormat();
  const { reading, more } = usePages(queryKeys.operator.tenants, (cursor) =>
    bound(tenants).listPage({ limit: pageSize, ...(cursor && { cursor }) }),
  );
  return (
    <Setting id="tenants" title={t('operator.tenants')} why={t('operator.tenants_why')} wide>
      <ProvisionForm />
      <Read from={reading} lines={10}>
        {(tenants) => (
          <StackedTable
            columns={[
              t('operator.name'),
              t('operator.id'),
              t('operator.key'),
              t('operator.limit'),
              t('operator.created'),
              t('operator.state'),
            ]}
          >
            {tenants.map(({ id, name, api_key_prefix, monthly_char_limit, created_at, active }) => (
              <tr key={id}>
                <th scope="row" className="plain-cell">
                  <Link to="/app/settings/operator/workspaces/$tenantId" params={{ tenantId: id }}>
                    <bdi translate="no">{name}</bdi>
                  </Link>
                </th>
                <td data-label={t('operator.id')} translate="no">
                  <code>{id}</code>
                </td>
                <td data-label={t('operator.key')} translate="no">
                  <code>{api_key_prefix}…</code>
                </td>
                <td data-label={t('operator.limit')}>{number(monthly_char_limit)}</td>
                <td data-label={t('operator.created')}>{day(created_at)}</td>
                <td data-label={t('operator.state')}>
                  <span className={`badge ${active ? 'good' : 'bad'}`}>
                    {t(active ? 'operator.active' : 'operator.inactive')}
                  </span>
                </td>
              </tr>
            ))}
          </StackedTable>
        )}
      </Read>
      <More of={more} />
    </Setting>
  );
}

/** The usage of one tenant, or the sum over all tenants. */
function SummedUsage() {
  const t = useT();
  const navigate = useNavigate({ from: '/app/settings/operator' });
  const { tenant } = useSearch({ from: '/workspace/operators/app/settings/operator' });
  const usage = useQuery({
    queryKey: queryKeys.operator.usage(tenant),
    queryFn: () => client.usage.daily({}, { tenantId: tenant }),
  });
  return (
    <Setting id="summed" title={t('operator.usage')} why={t('operator.usage_why')} wide>
      <form
        className="form"
        onSubmit={(event) => {
          event.preventDefault();
          const asked = String(new FormData(event.currentTarget).get('tenant') ?? '').trim();
          void navigate({ search: asked === '' ? {} : { tenant: asked } });
        }}
      >
        <label>
          {t('operator.one_tenant')}
          <input key={tenant} name="tenant" dir="ltr" maxLength={100} defaultValue={tenant ?? ''} />
          <span className="hint">{t('operator.one_tenant_hint')}</span>
        </label>
        <button type="submit">{t('operator.show')}</button>
      </form>
      <Read from={usage} lines={14}>
        {(report) => <DailyReport usage={report} />}
      </Read>
    </Setting>
  );
}
