-- A dispute of version 1.0 asked another member for a second check. Nothing opens one now, so those that nobody has made
-- are removed. Disputes and the second checks that were made stay.
delete from quality_checks where repeats is not null and state = 'open';
