/// The steps of one movie from its source to its copy. A pure value that returns the next action.
///
/// An attempt may be killed between any two steps. The first step of the next attempt handles the files that the killed
/// attempt left.
package struct TranscodeSteps: Sendable, Equatable {
    /// The files that exist when the attempt begins.
    package struct Look: Sendable, Equatable {
        package enum Source: Sendable, Equatable { case same, changed, missing }
        package enum Output: Sendable, Equatable {
            case absent
            /// A file with the requested fingerprint exists: the movie is done.
            case same
            case another
        }

        package var source: Source
        package var output: Output

        package init(_ source: Source, _ output: Output) { (self.source, self.output) = (source, output) }
    }

    package enum Action: Sendable, Equatable {
        case look
        /// Encode into the private directory beside the output.
        case encode
        /// Check that the source is still the same, now that it has been read.
        case lookAgain
        case verify
        /// Sync the copy in its private directory.
        case synchronize
        /// Give the copy its name, without replacing a file.
        case publish
        /// Give the copy its name, and replace the unknown file with that name.
        case replace
        case synchronizeDirectory
        case finish(Outcome)
    }

    package enum Outcome: Sendable, Equatable {
        case made
        case found
        case failed(exit: Int32, reason: String)
    }

    /// The result of the last action.
    package enum Fact: Sendable, Equatable {
        case saw(Look)
        case done
        /// Another file got the output's name in the meantime.
        case nameTaken
        case failed(exit: Int32, reason: String)
    }

    private let replacesUnknown: Bool
    private var last: Action = .look
    private var hasLookedForName = false

    /// Creates the steps.
    ///
    /// - Parameter replacesUnknown: True to replace an existing output with another fingerprint or without one. This is
    ///   used for parts of a movie, because only archives write files with such names.
    package init(replacesUnknown: Bool = false) { self.replacesUnknown = replacesUnknown }

    package var first: Action { .look }

    package mutating func next(after fact: Fact) -> Action {
        let action = decide(fact)
        last = action
        return action
    }

    private mutating func decide(_ fact: Fact) -> Action {
        switch (last, fact) {
        case (_, .failed(let exit, let reason)): return .finish(.failed(exit: exit, reason: reason))
        case (.look, .saw(let look)): return begin(look)
        case (.encode, .done): return .lookAgain
        case (.lookAgain, .saw(let look)):
            return look.source == .same ? .verify : Self.refusal(look.source)
        case (.verify, .done): return .synchronize
        case (.synchronize, .done): return .publish
        case (.publish, .done), (.replace, .done): return .synchronizeDirectory
        case (.publish, .nameTaken):
            // Another attempt may have made the same copy.
            hasLookedForName = true
            return .look
        case (.synchronizeDirectory, .done): return .finish(.made)
        default: return .finish(.failed(exit: 1, reason: "internal error: unexpected order of steps"))
        }
    }

    private func begin(_ look: Look) -> Action {
        switch (look.source, look.output) {
        case (.changed, _): return Self.refusal(.changed)
        // The copy exists. The source may have been deleted, because the copy is safe.
        case (_, .same): return .finish(.found)
        case (.missing, _): return Self.refusal(.missing)
        case (.same, .another) where replacesUnknown: return hasLookedForName ? .replace : .encode
        case (.same, .another):
            return .finish(
                .failed(
                    exit: 73,
                    reason: "another file has the output's name: change the output in the plan"))
        case (.same, .absent):
            return hasLookedForName
                ? .finish(.failed(exit: 74, reason: "another file had the output's name for a while")) : .encode
        }
    }

    private static func refusal(_ source: Look.Source) -> Action {
        source == .missing
            ? .finish(.failed(exit: 66, reason: "the source no longer exists"))
            : .finish(.failed(exit: 65, reason: "the source changed after the plan was made: make a new plan"))
    }
}
