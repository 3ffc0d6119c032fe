import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import type { TenantUsageSummary } from '#sdk/types.ts';
import { client } from '../../client.ts';
import { useT } from '../../i18n.tsx';
import { ActionButton } from '../../kit/action-button.tsx';
import { Row } from '../../kit/box.tsx';
import { Field } from '../../kit/field.tsx';
import { Facts, Section } from '../../kit/section.tsx';
import { announce } from '../../parts/announcer.tsx';
import { Bar } from '../../parts/bar.tsx';
import { useFormat } from '../../parts/format.ts';
import { leftOf } from '../../parts/left-of.ts';
import { Read } from '../../parts/loading.tsx';
import { saveFile } from '../../parts/save-file.ts';
import { queryKeys } from '../../query-keys.ts';
import { proveFirst } from '../../session/proof.ts';

/** Shows the allowance and the totals of a month, and a button that saves the usage records of the month as a file. */
export function Month({ tenantId }: { tenantId: string }) {
  const t = useT();
  const thisMonth = new Date().toISOString().slice(0, 7);
  const { period = thisMonth } = useSearch({ from: '/workspace/app/reports' });
  const navigate = useNavigate({ from: '/app/reports' });
  const summary = useQuery({
    queryKey: queryKeys.usage.summary(tenantId, period),
    // The limit is 1, because this component needs only the figures and not the usage records.
    queryFn: () => client.usage.summary(tenantId, { period, limit: 1 }),
  });
  return (
    <Section title={t('usage.month')}>
      <Row align="end" justify="space-between">
        <Field
          label={t('usage.period')}
          type="month"
          required
          min="2020-01"
          max={thisMonth}
          value={period}
          onValue={(chosen) =>
            chosen && void navigate({ search: (before) => ({ ...before, period: chosen }), replace: true })
          }
        />
        <Export tenantId={tenantId} period={period} />
      </Row>
      <Read from={summary} lines={5}>
        {(month) => <Figures month={month} isCurrent={period === thisMonth} />}
      </Read>
    </Section>
  );
}

function Figures({ month, isCurrent }: { month: TenantUsageSummary; isCurrent: boolean }) {
  const t = useT();
  const { number, day } = useFormat();
  const { jobs, billable_chars, allowance, topup } = month;
  const { left, limit } = leftOf(month);
  return (
    <>
      {isCurrent && (
        <>
          <p id="allowance-left">{t('usage.left', { left: number(left), limit: number(limit) })}</p>
          <Bar labelledBy="allowance-left" max={limit} value={limit - left} />
        </>
      )}
      <Facts
        of={[
          [t('usage.jobs'), number(jobs)],
          [t('usage.chars'), number(billable_chars)],
          ...(isCurrent
            ? ([
                [t('usage.reserved'), number(allowance.reserved)],
                [t('usage.counted_since'), day(allowance.window_start)],
              ] as const)
            : []),
          ...(topup.purchased > 0
            ? ([
                [
                  t('usage.topup'),
                  t('usage.topup_of', { left: number(topup.balance), all: number(topup.purchased) }),
                ],
              ] as const)
            : []),
        ]}
      />
    </>
  );
}

/** Saves the usage records of a month as a file. The file may be large, so it is streamed. */
function Export({ tenantId, period }: { tenantId: string; period: string }) {
  const t = useT();
  const save = async () => {
    if (!(await proveFirst())) return;
    await saveFile(await client.usage.export(tenantId, { format: 'csv', period }));
    announce(t('usage.exported'));
  };
  return (
    <div>
      <ActionButton busy={t('usage.exporting')} onRun={save}>
        {t('usage.export')}
      </ActionButton>
    </div>
  );
}
