# A cycle of one account every hour as an asset of Dagster: see "Schedules" in docs/operators.md.
import json
import subprocess

import dagster as dg

COMMAND = ["mkt", "cycle", "--tenant", "acme", "--product", "market_engine", "--output", "json"]


@dg.asset(output_required=False)
def acme_market_engine(context):
    run = subprocess.run(COMMAND, stdout=subprocess.PIPE, text=True)
    lines = run.stdout.splitlines()
    last = json.loads(lines[-1]) if lines else {}
    if run.returncode == 75 and last.get("step") == "lock":
        context.log.info("another run is under way: nothing is materialized")
        return
    if run.returncode == 75:
        raise dg.RetryRequested(max_retries=4, seconds_to_wait=300)
    if run.returncode != 0:
        raise dg.Failure(f"mkt cycle: exit code {run.returncode}: {last.get('error')}", allow_retries=False)
    yield dg.Output(None, metadata={"cycle": last["cycle"]})


job = dg.define_asset_job("acme_cycles", selection=[acme_market_engine])
defs = dg.Definitions(assets=[acme_market_engine], schedules=[dg.ScheduleDefinition(job=job, cron_schedule="7 * * * *")])
