import { useQuery } from '@tanstack/react-query';
import { useT } from '../i18n.tsx';
import { procedures } from '../procedures.ts';
import { queryKeys } from '../query-keys.ts';
import { isVisitor } from '../session/keeper.ts';
import { useFormat } from './format.ts';

/** The share of checked texts with such a score that needed no change, next to the score; nothing without enough checks. */
export function CalibratedScore({ score, language }: { score: number; language: string }) {
  const t = useT();
  const { number, percent } = useFormat();
  const { data } = useQuery({
    queryKey: queryKeys.quality.calibrations,
    queryFn: () => procedures.quality.calibrations.query(),
    enabled: !isVisitor(),
    staleTime: 600_000,
  });
  const calibration = data?.find(({ target_lang }) => target_lang === language);
  const step = calibration?.steps.findLast((one) => one.score <= score);
  if (!calibration || !step) return null;
  const values = { share: percent(step.value), checks: number(calibration.checks) };
  return <p className="hint">{t('review.calibrated', values)}</p>;
}
