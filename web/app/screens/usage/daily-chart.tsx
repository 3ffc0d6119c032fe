import 'uplot/dist/uPlot.min.css';
import { useEffect, useRef } from 'react';
import UPlot from 'uplot';
import type { DailyUsage } from '#sdk/types.ts';
import { useInterface, useT } from '../../i18n.tsx';

const height = 240;
/** Half a day in seconds. The axis is this much longer at both ends, so that the first and last bars are complete. */
const halfDay = 43_200;

/**
 * Shows the characters of each day as bars, in the colors of the page. The chart needs no text alternative, because the
 * table next to it has the same data.
 */
export function DailyChart({ days }: { days: DailyUsage['days'] }) {
  const t = useT();
  const { locale } = useInterface();
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const place = box.current;
    if (!place) return;
    const number = new Intl.NumberFormat(locale, { notation: 'compact' });
    const day = new Intl.DateTimeFormat(locale, { day: 'numeric', month: 'short', timeZone: 'UTC' });
    const scheme = matchMedia('(prefers-color-scheme: dark)');
    let chart: UPlot | undefined;
    const draw = () => {
      chart?.destroy();
      const style = getComputedStyle(place);
      const ink = inkOf(place);
      const bars = UPlot.paths.bars?.({ size: [0.7, 60] });
      const axis = { stroke: ink, grid: { stroke: ink, width: 0.2 }, ticks: { show: false } };
      chart = new UPlot(
        {
          width: place.clientWidth,
          height,
          legend: { show: false },
          cursor: { show: false },
          tzDate: (seconds) => UPlot.tzDate(new Date(seconds * 1000), 'UTC'),
          scales: {
            x: { time: true, range: (_, first, last) => [first - halfDay, last + halfDay] },
            y: { range: (_, __, max) => [0, Math.max(1, max * 1.05)] },
          },
          axes: [
            { ...axis, values: (_, ticks) => ticks.map((seconds) => day.format(seconds * 1000)) },
            { ...axis, size: 64, values: (_, ticks) => ticks.map((value) => number.format(value)) },
          ],
          series: [
            {},
            {
              label: t('usage.chars'),
              fill: style.color,
              // Without a line, so that days without usage show nothing.
              width: 0,
              ...(bars && { paths: bars }),
              points: { show: false },
            },
          ],
        },
        [
          days.map(({ date }) => Date.parse(`${date}T00:00:00Z`) / 1000),
          days.map(({ billable_chars }) => billable_chars),
        ],
        place,
      );
    };
    draw();
    const watch = new ResizeObserver(() => chart?.setSize({ width: place.clientWidth, height }));
    watch.observe(place);
    scheme.addEventListener('change', draw);
    return () => {
      watch.disconnect();
      scheme.removeEventListener('change', draw);
      chart?.destroy();
    };
  }, [days, locale, t]);
  return <div ref={box} />;
}

/**
 * Returns a color of the page in a form that a canvas supports. A canvas supports neither custom properties nor
 * light-dark(), so the browser computes the color on an element.
 */
function inkOf(place: HTMLElement): string {
  const probe = place.appendChild(document.createElement('span'));
  probe.style.color = 'var(--ink-2)';
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
}
