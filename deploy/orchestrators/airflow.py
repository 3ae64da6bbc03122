# A cycle of one account every hour as a task of Airflow 3: see "Schedules" in docs/operators.md.
import json
import subprocess
from datetime import datetime, timedelta, timezone

from airflow.sdk import dag, task
from airflow.sdk.exceptions import AirflowFailException, AirflowSkipException  # before 3.2: airflow.exceptions

COMMAND = ["mkt", "cycle", "--tenant", "acme", "--product", "market_engine", "--output", "json"]


@dag(schedule="7 * * * *", start_date=datetime(2026, 1, 1, tzinfo=timezone.utc), catchup=False, max_active_runs=1)
def acme_cycles():
    @task(retries=4, retry_delay=timedelta(minutes=5), execution_timeout=timedelta(minutes=50))
    def cycle():
        run = subprocess.run(COMMAND, stdout=subprocess.PIPE, text=True)
        print(run.stdout)
        lines = run.stdout.splitlines()
        last = json.loads(lines[-1]) if lines else {}
        if run.returncode == 75 and last.get("step") == "lock":
            raise AirflowSkipException("another run is under way")
        if run.returncode == 75:
            raise RuntimeError("not now: the task is tried again")
        if run.returncode != 0:
            raise AirflowFailException(f"mkt cycle: exit code {run.returncode}: {last.get('error')}")

    cycle()


acme_cycles()
