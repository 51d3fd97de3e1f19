/// The batch script that runs a plan's tasks, and the commands that submit it. The script is stored in the plan's
/// directory, where users can read it.
package struct SlurmScript: Sendable, Hashable {
    private let recorder: String
    private let plan: String
    private let directory: RunDirectory
    private let options: SlurmOptions

    /// Creates a script.
    ///
    /// - Parameters:
    ///   - recorder: The program's path, the same on all nodes.
    ///   - plan: The plan's absolute path, the same on all nodes.
    package init(recorder: String, plan: String, options: SlurmOptions) {
        (self.recorder, self.plan, self.options) = (recorder, plan, options)
        directory = RunDirectory(ofPlan: plan)
    }

    /// The script that runs a task. Its argument is the file that lists an array's tasks, one number per line.
    package var task: String {
        """
        #!/bin/sh
        # Runs one task of a job array. Line SLURM_ARRAY_TASK_ID (counted from 0) of the list $1 has its number.
        # Written by `recorder archive run`. The next run overwrites changes.
        recorder=\(Self.quoted(recorder))
        plan=\(Self.quoted(plan))
        logs=\(Self.quoted(directory.logs))
        restarts=${SLURM_RESTART_COUNT:-0}

        task=$(sed -n "$((SLURM_ARRAY_TASK_ID + 1))p" "$1") || exit 74
        [ -n "$task" ] || exit 74
        exec >>"$logs/task-$task.log" 2>&1
        echo "task $task on ${SLURMD_NODENAME:-$(hostname)}, job ${SLURM_ARRAY_JOB_ID}_$SLURM_ARRAY_TASK_ID, restart $restarts"

        # Slurm sends TERM before a time limit and when it cancels. The program gets it too, and removes partial files.
        "$recorder" archive task "$plan" "$task" --restart "$restarts"\(stage) &
        child=$!
        trap 'kill -TERM $child 2>/dev/null' TERM INT
        wait $child
        code=$?
        # A trap interrupts the first wait; the second one returns the program's exit status.
        while kill -0 $child 2>/dev/null; do wait $child; code=$?; done
        trap - TERM INT

        # 74 (reading or writing), 75 (in use) and signals may be temporary. Slurm requeues a job by its exit status only
        # if its administrator configured that, so the job requests it.
        case $code in
        74 | 75 | 1[2-9][0-9])
            if [ "$restarts" -lt \(SlurmOptions.mostRestarts) ]; then
                scontrol requeue "${SLURM_ARRAY_JOB_ID}_$SLURM_ARRAY_TASK_ID" && sleep 30
            fi
            ;;
        esac
        exit $code

        """
    }

    /// The script that writes the report.
    package var report: String {
        let words = [recorder, "archive", "report", plan, "--html", directory.path + "/report.html"]
        return "#!/bin/sh\n# Written by `recorder archive run`.\nexec " + words.map(Self.quoted).joined(separator: " ")
            + "\n"
    }

    // MARK: The arguments of sbatch

    /// Returns the command that submits an array.
    ///
    /// - Parameters:
    ///   - count: The number of tasks in the list.
    ///   - places: The tasks that must succeed first, such as `12_3`. If one of them fails, Slurm cancels the submitted
    ///     tasks instead of letting them wait forever.
    package func submission(script: String, list: String, count: Int, after places: [String] = []) -> [String] {
        let throttle = options.throttle.map { "%\(max(1, $0))" } ?? ""
        let dependency =
            places.isEmpty
            ? [] : ["--dependency=afterok:" + places.joined(separator: ":"), "--kill-on-invalid-dep=yes"]
        // The words are added one by one, because one long expression is too complex for the type checker of Swift 6.2.
        var words = ["sbatch", "--parsable", "--array=0-\(count - 1)\(throttle)", "--requeue", "--open-mode=append"]
        words += dependency
        words += common(log: "slurm-%A_%a.log")
        words.append("--cpus-per-task=\(options.threads)")
        if let limit = options.timeLimit { words.append("--time=\(limit)") }
        return words + [script, list]
    }

    /// Returns the command that submits the report.
    ///
    /// - Parameter jobs: Job numbers of entire arrays.
    package func reportSubmission(script: String, after jobs: [String]) -> [String] {
        ["sbatch", "--parsable", "--dependency=afterany:" + jobs.joined(separator: ":")] + common(log: "report-%j.log")
            + ["--time=60", script]
    }

    /// Returns the options of both submissions. The log's name is relative to the directory, because Slurm would expand
    /// a % in the directory's path.
    private func common(log: String) -> [String] {
        var words = ["--job-name=\(SlurmCommands.name(plan))", "--chdir=\(directory.logs)", "--output=\(log)"]
        if let partition = options.partition { words.append("--partition=\(partition)") }
        if let account = options.account { words.append("--account=\(account)") }
        if let qos = options.qos { words.append("--qos=\(qos)") }
        if let nice = options.nice { words.append("--nice=\(nice)") }
        return words
    }

    private var stage: String { options.stage.map { " --stage " + Self.quoted($0) } ?? "" }

    /// Returns the text quoted for a shell.
    package static func quoted(_ text: String) -> String { "'" + text.replacing("'", with: "'\\''") + "'" }
}
