import AssetIO
import Dispatch
import Foundation

/// `ReencodeTandem INPUT OUTPUT`; Control-C cancels.
@main
struct ReencodeTandem {
    static func main() {
        let paths = CommandLine.arguments.dropFirst().map { URL(fileURLWithPath: $0) }
        guard paths.count == 2 else {
            print("usage: ReencodeTandem INPUT OUTPUT")
            exit(64)
        }
        let reencoder = Reencoder(asset: Asset(url: paths[0]), outputURL: paths[1])
        signal(SIGINT, SIG_IGN)
        let interrupt = DispatchSource.makeSignalSource(signal: SIGINT, queue: .global())
        interrupt.setEventHandler { reencoder.cancel() }
        interrupt.resume()
        reencoder.start { result in
            switch result {
            case .success:
                print(paths[1].path)
                exit(0)
            case .failure(let error):
                print(error)
                exit(1)
            }
        }
        withExtendedLifetime(interrupt) { dispatchMain() }
    }
}
