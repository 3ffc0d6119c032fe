import { Link, useSearch } from '@tanstack/react-router';
import { useT } from '../../i18n.tsx';
import { Stack } from '../../kit/box.tsx';
import { Read } from '../../parts/loading.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { isAdministrator, useMe } from '../../session/use-me.ts';
import { Checks } from './checks.tsx';
import { GateReport } from './gate-report.tsx';
import { Scorecard } from './scorecard.tsx';

const views = ['report', 'spot_check', 'quality_check', 'scorecard'] as const;

type View = (typeof views)[number];

/** `/app/quality`: what the quality gate is worth, and the checks of members. */
export function QualityScreen() {
  const t = useT();
  const me = useMe();
  const { view } = useSearch({ from: '/workspace/app/quality' });
  const isAdmin = me.data !== undefined && isAdministrator(me.data);
  const allowed = views.filter((one) => isAdmin || isForMembers(one));
  const shown = allowed.find((one) => one === view) ?? (allowed[0] as View);
  return (
    <>
      <title>{`${t('quality.title')} · LinguaLoop`}</title>
      <PageHead
        title={t('quality.title')}
        aside={
          me.data && (
            <nav className="segmented" style={{ flexWrap: 'wrap' }} aria-label={t('quality.views')}>
              {allowed.map((one) => (
                <Link
                  key={one}
                  to="/app/quality"
                  search={(before) => ({ ...before, view: one })}
                  aria-current={one === shown ? 'page' : undefined}
                >
                  {t(`quality.view_${one}`)}
                </Link>
              ))}
            </nav>
          )
        }
      />
      <Read from={me}>
        {() => (
          <Stack gap={4}>
            {shown === 'report' && <GateReport />}
            {shown === 'scorecard' && <Scorecard />}
            {isForMembers(shown) && <Checks key={shown} origin={shown} isAdmin={isAdmin} />}
          </Stack>
        )}
      </Read>
    </>
  );
}

function isForMembers(view: View): view is 'spot_check' | 'quality_check' {
  return view === 'spot_check' || view === 'quality_check';
}
