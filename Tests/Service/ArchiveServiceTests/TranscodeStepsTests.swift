import ArchiveService
import Testing

@Suite struct TranscodeStepsTests {
    private func actions(_ facts: [TranscodeSteps.Fact]) -> [TranscodeSteps.Action] {
        var steps = TranscodeSteps()
        return [steps.first] + facts.map { steps.next(after: $0) }
    }

    @Test func transcodedFile_newOutput_isPublishedAfterVerifyAndSync() {
        let absent = TranscodeSteps.Look(.same, .absent)
        #expect(
            actions([.saw(absent), .done, .saw(absent), .done, .done, .done, .done]) == [
                .look, .encode, .lookAgain, .verify, .synchronize, .publish, .synchronizeDirectory, .finish(.made),
            ])
    }

    @Test func transcodedFile_sameFingerprintExists_isFound() {
        for source in [TranscodeSteps.Look.Source.same, .missing] {
            #expect(actions([.saw(.init(source, .same))]).last == .finish(.found))
        }
    }

    private func exit(_ facts: TranscodeSteps.Fact...) -> Int32? {
        guard case .finish(.failed(let exit, _)) = actions(facts).last else { return nil }
        return exit
    }

    @Test func source_changedOrMissing_failsWithoutEncoding() {
        #expect(exit(.saw(.init(.changed, .absent))) == 65)
        #expect(exit(.saw(.init(.changed, .same))) == 65)
        #expect(exit(.saw(.init(.same, .absent)), .done, .saw(.init(.changed, .absent))) == 65)
        #expect(exit(.saw(.init(.missing, .absent))) == 66)
    }

    @Test func output_nameTakenByAnotherFile_isNotReplaced() {
        #expect(exit(.saw(.init(.same, .another))) == 73)
        let absent = TranscodeSteps.Look(.same, .absent)
        #expect(
            exit(
                .saw(absent), .done, .saw(absent), .done, .done, .nameTaken, .saw(.init(.same, .another))) == 73)
        #expect(
            actions([.saw(absent), .done, .saw(absent), .done, .done, .nameTaken, .saw(.init(.same, .same))]).last
                == .finish(.found))
    }

    /// Only an archive uses a part's name, so a file that no attempt can use does not end the movie.
    @Test func part_nameTakenByAnUnknownFile_isMadeAgainAndReplacesIt() {
        let (absent, another) = (TranscodeSteps.Look(.same, .absent), TranscodeSteps.Look(.same, .another))
        func actions(_ facts: TranscodeSteps.Fact...) -> [TranscodeSteps.Action] {
            var steps = TranscodeSteps(replacesUnknown: true)
            return [steps.first] + facts.map { steps.next(after: $0) }
        }
        #expect(
            actions(.saw(another), .done, .saw(absent), .done, .done, .nameTaken, .saw(another), .done, .done) == [
                .look, .encode, .lookAgain, .verify, .synchronize, .publish, .look, .replace, .synchronizeDirectory,
                .finish(.made),
            ])
        // Another attempt was faster.
        #expect(
            actions(.saw(absent), .done, .saw(absent), .done, .done, .nameTaken, .saw(.init(.same, .same))).last
                == .finish(.found))
        for source in [TranscodeSteps.Look.Source.changed, .missing] {
            guard case .finish(.failed) = actions(.saw(.init(source, .another))).last else {
                Issue.record("\(source) was encoded")
                continue
            }
        }
    }

    @Test func step_failed_endsWithItsExitCode() {
        #expect(exit(.saw(.init(.same, .absent)), .failed(exit: 74, reason: "no space")) == 74)
    }
}
