import styles from './critical-findings.module.css';
import type { CriticalFinding } from './critical-findings-of.ts';

export function CriticalFindings({ findings }: { findings: readonly CriticalFinding[] }) {
  if (findings.length === 0) return null;
  return (
    <ul className={styles.findings}>
      {findings.map(({ explanation, place }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: they have no other identity, and none is added or removed
        <li key={index}>
          {place !== undefined && <bdi translate="no">{`${place}: `}</bdi>}
          <bdi>{explanation}</bdi>
        </li>
      ))}
    </ul>
  );
}
