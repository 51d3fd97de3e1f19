import ArchiveService
import Testing

@Suite struct FilmStepsTests {
    private func actions(_ facts: [FilmSteps.Fact]) -> [FilmSteps.Action] {
        var steps = FilmSteps()
        return [steps.first] + facts.map { steps.next(after: $0) }
    }

    @Test func aCopyGetsItsNameOnlyOnceItIsVerifiedAndOnTheDisk() {
        let absent = FilmSteps.Look(.same, .absent)
        #expect(
            actions([.saw(absent), .done, .saw(absent), .done, .done, .done, .done]) == [
                .look, .encode, .lookAgain, .verify, .synchronize, .publish, .synchronizeDirectory, .finish(.made),
            ])
    }

    @Test func aCopyWithTheSameFingerprintIsDone() {
        for source in [FilmSteps.Look.Source.same, .missing] {
            #expect(actions([.saw(.init(source, .same))]).last == .finish(.found))
        }
    }

    private func exit(_ facts: FilmSteps.Fact...) -> Int32? {
        guard case .finish(.failed(let exit, _)) = actions(facts).last else { return nil }
        return exit
    }

    @Test func aSourceThatChangedIsToldAndNotEncoded() {
        #expect(exit(.saw(.init(.changed, .absent))) == 65)
        #expect(exit(.saw(.init(.changed, .same))) == 65)
        #expect(exit(.saw(.init(.same, .absent)), .done, .saw(.init(.changed, .absent))) == 65)
        #expect(exit(.saw(.init(.missing, .absent))) == 66)
    }

    @Test func nothingOfSomebodyElseIsReplaced() {
        #expect(exit(.saw(.init(.same, .another))) == 73)
        let absent = FilmSteps.Look(.same, .absent)
        #expect(
            exit(
                .saw(absent), .done, .saw(absent), .done, .done, .nameTaken, .saw(.init(.same, .another))) == 73)
        #expect(
            actions([.saw(absent), .done, .saw(absent), .done, .done, .nameTaken, .saw(.init(.same, .same))]).last
                == .finish(.found))
    }

    @Test func whatFailsEndsTheFilm() {
        #expect(exit(.saw(.init(.same, .absent)), .failed(exit: 74, reason: "no space")) == 74)
    }
}
