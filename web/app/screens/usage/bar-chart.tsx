import 'uplot/dist/uPlot.min.css';
import { useEffect, useRef, useState } from 'react';
import UPlot from 'uplot';
import { useInterface } from '../../i18n.tsx';
import styles from './usage.module.css';

const height = 260;
/** Half a day in seconds. The axis is this much longer at both ends, so that the first and last bars are complete. */
const halfDay = 43_200;

/** One part of each bar. */
export interface Series {
  label: string;
  /** A custom property with the color. */
  color: string;
  /** One value for each day. */
  values: readonly number[];
}

interface Hovered {
  day: number;
  /** The middle of the bar in pixels, from the left edge of the chart. */
  at: number;
}

/**
 * Shows amounts of each day as stacked bars, in the colors of the page. The chart needs no text alternative, because a
 * table next to it has the same data.
 * @param days YYYY-MM-DD in UTC
 * @param series the lowest part first
 */
export function BarChart({ days, series }: { days: readonly string[]; series: readonly Series[] }) {
  const { locale } = useInterface();
  const box = useRef<HTMLDivElement>(null);
  const [hovered, setHovered] = useState<Hovered>();
  useEffect(() => {
    const place = box.current;
    if (!place) return;
    let chart: UPlot | undefined;
    const draw = () => {
      chart?.destroy();
      chart = drawBars(place, { days, series, locale, onHover: setHovered });
    };
    draw();
    const size = new ResizeObserver(() => chart?.setSize({ width: place.clientWidth, height }));
    size.observe(place);
    const scheme = matchMedia('(prefers-color-scheme: dark)');
    scheme.addEventListener('change', draw);
    const theme = new MutationObserver(draw);
    theme.observe(document.documentElement, { attributeFilter: ['data-theme'] });
    return () => {
      size.disconnect();
      theme.disconnect();
      scheme.removeEventListener('change', draw);
      chart?.destroy();
    };
  }, [days, series, locale]);
  const date = hovered && days[hovered.day];
  return (
    <div className={styles['chart']} aria-hidden>
      <div ref={box} />
      {hovered && date && (
        <Tip at={hovered.at} width={box.current?.clientWidth ?? 0} date={date}>
          {series.map(({ label, color, values }) => ({ label, color, value: values[hovered.day] ?? 0 }))}
        </Tip>
      )}
    </div>
  );
}

/** The values of one day, at its bar. */
function Tip({
  at,
  width,
  date,
  children: parts,
}: {
  at: number;
  width: number;
  date: string;
  children: { label: string; color: string; value: number }[];
}) {
  const { locale } = useInterface();
  const number = new Intl.NumberFormat(locale);
  const day = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeZone: 'UTC' });
  const total = parts.reduce((sum, { value }) => sum + value, 0);
  const place = at < width / 2 ? { left: at + 16 } : { right: width - at + 16 };
  return (
    <div className={styles['tip']} style={place}>
      <b>{day.format(new Date(`${date}T00:00:00Z`))}</b> {number.format(total)}
      {parts.length > 1 &&
        parts
          .filter(({ value }) => value > 0)
          .map(({ label, color, value }) => (
            <span key={label}>
              <i style={{ background: `var(${color})` }} />
              {label} <b>{number.format(value)}</b>
            </span>
          ))}
    </div>
  );
}

interface Bars {
  days: readonly string[];
  series: readonly Series[];
  locale: string;
  onHover: (hovered: Hovered | undefined) => void;
}

function drawBars(place: HTMLElement, { days, series, locale, onHover }: Bars): UPlot {
  const number = new Intl.NumberFormat(locale, { notation: 'compact' });
  const day = new Intl.DateTimeFormat(locale, { day: 'numeric', month: 'short', timeZone: 'UTC' });
  const paths = UPlot.paths.bars?.({ size: [0.7, 40], radius: 0.12 });
  const ink = colorOf(place, '--ink-3');
  const axis = {
    stroke: ink,
    font: `500 11px ${getComputedStyle(place).fontFamily}`,
    ticks: { show: false },
  };
  // A part is drawn as a bar from zero to the sum of this and all lower parts, and the lower parts are drawn over it.
  const stacked = series.map((_, index) =>
    days.map((_, at) => series.slice(0, index + 1).reduce((sum, { values }) => sum + (values[at] ?? 0), 0)),
  );
  return new UPlot(
    {
      width: place.clientWidth,
      height,
      legend: { show: false },
      cursor: { x: false, y: false, points: { show: false }, drag: { x: false, y: false } },
      hooks: {
        setCursor: [
          ({ cursor: { idx, left = -1 }, data, valToPos, bbox }) => {
            const second = typeof idx === 'number' && left >= 0 ? data[0][idx] : undefined;
            onHover(
              second === undefined
                ? undefined
                : { day: idx as number, at: valToPos(second, 'x') + bbox.left / devicePixelRatio },
            );
          },
        ],
      },
      tzDate: (seconds) => UPlot.tzDate(new Date(seconds * 1000), 'UTC'),
      scales: {
        x: { time: true, range: (_, first, last) => [first - halfDay, last + halfDay] },
        y: { range: (_, __, max) => [0, Math.max(1, max * 1.05)] },
      },
      axes: [
        {
          ...axis,
          grid: { show: false },
          size: 28,
          space: 70,
          incrs: [86_400, 7 * 86_400, 14 * 86_400, 28 * 86_400],
          values: (_, ticks) => ticks.map((seconds) => day.format(seconds * 1000)),
        },
        {
          ...axis,
          size: 56,
          grid: { stroke: colorOf(place, '--line'), width: 1 },
          // Amounts are whole numbers.
          incrs: [1, 2, 5]
            .flatMap((step) => [...Array(10).keys()].map((power) => step * 10 ** power))
            .sort((a, b) => a - b),
          values: (_, ticks) => ticks.map((value) => number.format(value)),
        },
      ],
      series: [
        {},
        ...series
          .map(({ label, color }) => ({
            label,
            fill: colorOf(place, color),
            // Without a line, so that days without usage show nothing.
            width: 0,
            ...(paths && { paths }),
            points: { show: false },
          }))
          .reverse(),
      ],
    },
    [days.map((date) => Date.parse(`${date}T00:00:00Z`) / 1000), ...stacked.reverse()],
    place,
  );
}

/**
 * Returns a color of the page in a form that a canvas supports. A canvas supports neither custom properties nor
 * light-dark(), so the browser computes the color on an element.
 */
function colorOf(place: HTMLElement, property: string): string {
  const probe = place.appendChild(document.createElement('span'));
  probe.style.color = `var(${property})`;
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
}
