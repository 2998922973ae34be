// Spark is lazy: a line of a plan uses its memory when an action runs the plan. This shows which action.
import {actionOfStage} from '../digest';
import type {Report} from '../model';
import {link} from '../route';

export function RunBy({report, stageId}: {report: Report; stageId: number}) {
  const action = actionOfStage(report, stageId);
  if (!action) return null;
  return (
    <span class="small">
      run by{' '}
      <a href={link('driver')} class="code">
        {action.title}
      </a>{' '}
      <span class="soft">{action.which}</span>
    </span>
  );
}
