import { AdminsOnly } from '../../parts/admins-only.tsx';
import { BilledCharacters } from './breakdown.tsx';
import { KeyFigures } from './key-figures.tsx';
import { Month } from './month.tsx';
import { PublishedTexts, ReviewReasons } from './outcomes.tsx';
import { RangeChoice } from './range.tsx';
import { Reviewers } from './reviewers.tsx';
import styles from './usage.module.css';

/**
 * `/app/reports`: billed characters, the results of texts, and the reviewers' work in a range of days; and the usage
 * records of a month.
 */
export function UsageScreen() {
  return (
    <AdminsOnly title="common.usage" acts={<RangeChoice />}>
      {({ tenant }) => (
        <div className={styles['reports']}>
          <KeyFigures />
          <BilledCharacters />
          <PublishedTexts />
          <Reviewers />
          <Month tenantId={tenant.id} />
          <ReviewReasons />
        </div>
      )}
    </AdminsOnly>
  );
}
